#!/usr/bin/env bash
# hosts.sh PROGRAM TABLE TARGET: a training by ranks on three hosts that are network namespaces of
# this one (each with a name, an address and a wire of its own), over TCP, under the MPI
# launchers that are installed; then with a host whose wire is cut and with one whose rank is
# killed. PROGRAM is built with -tags mpi. It needs root and iproute2, and takes away what it made.
set -euo pipefail
program=$(realpath "$1") table=$(realpath "$2") target=$3
tmp=$(mktemp -d)
hosts=(drohost1 drohost2 drohost3)
clean() {
	for h in "${hosts[@]}"; do
		ip netns pids "$h" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
		ip netns del "$h" 2>/dev/null || true
		rm -rf "/etc/netns/$h"
	done
	for link in drobridge drowire1 drowire2 drowire3; do ip link del $link 2>/dev/null || true; done
	rm -rf "$tmp"
}
trap clean EXIT
trap "exit 1" INT TERM HUP
clean
mkdir -p "$tmp"
ip link add drobridge type bridge
ip link set drobridge up
n=0
for h in "${hosts[@]}"; do
	n=$((n + 1))
	ip netns add "$h"
	ip link add "drowire$n" type veth peer name eth0 netns "$h"
	ip link set "drowire$n" master drobridge up
	ip -n "$h" address add "10.77.7.$n/24" dev eth0
	ip -n "$h" link set eth0 up
	ip -n "$h" link set lo up
	mkdir -p "/etc/netns/$h"
	printf '127.0.0.1 localhost\n10.77.7.1 drohost1\n10.77.7.2 drohost2\n10.77.7.3 drohost3\n' >"/etc/netns/$h/hosts"
done
# What a launcher calls in the place of ssh: HOST COMMAND.
cat >"$tmp/on" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done # options of ssh
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec ip netns exec "$0" sh -c "$1"' "$host" "$*"
END
chmod +x "$tmp/on"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
open=(mpirun.openmpi --mca plm_rsh_agent "$tmp/on" --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --mca oob_tcp_keepalive_time 2 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 -H drohost1,drohost2,drohost3)
hydra=(mpirun.mpich -launcher ssh -launcher-exec "$tmp/on" -iface eth0 -hosts drohost1,drohost2,drohost3)
job() { # LAUNCHER… : three ranks, from the first host
	"$tmp/on" drohost1 "cd '$tmp' && exec timeout -k 1 60 $* -np 3 '$program' train --data '$table' --target '$target' --nu 0.2 --threads 1 --no-report --force --out $out $more"
}
digest() { sed 's/"seconds": [^,]*//' "$tmp/$1/model.json" | sha256sum | cut -c1-12; }
for name in open hydra; do
	declare -n launcher=$name
	command -v "${launcher[0]}" >/dev/null || { echo "skipped: ${launcher[0]} is not installed"; continue; }
	out=$name more=
	before=$(cat /sys/class/net/drowire1/statistics/tx_bytes)
	if ! job "${launcher[@]}" >"$tmp/said" 2>&1; then cat "$tmp/said"; exit 1; fi
	echo "${launcher[0]}: $(grep -o 'ranks 3, rounds.*' "$tmp/said"); $(($(cat /sys/class/net/drowire1/statistics/tx_bytes) - before)) bytes on the first wire; model $(digest $name)"
	for fate in killed cut; do
		out=$name-$fate more="--gap 1e-15 --max-passes 1000000 --solver lbfgs"
		job "${launcher[@]}" >"$tmp/said" 2>&1 &
		pid=$!
		sleep 5
		began=$(date +%s.%N)
		if [ $fate = killed ]; then
			ip netns pids drohost3 | while read -r p; do
				if [ "$(readlink /proc/$p/exe)" = "$program" ]; then kill -9 "$p"; fi
			done
		else
			ip link set drowire3 down
		fi
		code=0
		wait $pid || code=$?
		after=$(echo "$(date +%s.%N) - $began" | bc)
		if [ $code = 124 ] || [ $code = 137 ] && [ "${after%.*}" -ge 50 ]; then
			echo "${launcher[0]}: third host $fate: the launcher does not notice; it was killed"
		else
			echo "${launcher[0]}: third host $fate: the job ended after $after s with exit code $code"
		fi
		ip link set drowire3 up
		sleep 5
		for h in "${hosts[@]}"; do # what the launcher could not reach any more
			left=$(ip netns pids "$h" | wc -l)
			[ "$left" = 0 ] || echo "  $left processes are left on $h"
			ip netns pids "$h" | xargs -r kill -9 || true
		done
	done
done

"""Check the certificate of a model again, in interval arithmetic of 256 bits and without any code of the solver.

``python -m drotrain.verify MODEL PROOF ROWS`` takes the model file, the proof that ``drotrain train --proof`` wrote, and the
encoded rows that ``drotrain verify --encoded`` wrote. docs/math.md §12 has what is checked. It needs mpmath.
"""

import argparse
import hashlib
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from mpmath import iv, mp, nstr

iv.prec = 256
_ZERO, _ONE, _HALF = iv.mpf(0), iv.mpf(1), iv.mpf(0.5)
_STRENGTH = {"": 0.0, "plain": 0.0, "balanced": 1.0, "half-balanced": 0.5}  # of averages: by groups' weights to the power 1 − this
_TOLERANCE = 1e-9  # the share of the weight by which weights may be outside of the set


class Refused(Exception):
    """The certificate is not proved, with the reason."""


def _max(a: Any, b: Any) -> Any:
    return iv.mpf([max(a.a, b.a), max(a.b, b.b)])


def _min(a: Any, b: Any) -> Any:
    return iv.mpf([min(a.a, b.a), min(a.b, b.b)])


def _xlogx(a: Any) -> Any:
    """Return a·log a, where a ≥ 0."""
    if a.a > 0 or a.b <= 0:
        return a * iv.log(a) if a.a > 0 else _ZERO
    top = iv.mpf(a.b)
    return iv.mpf([(top * iv.log(top)).a, 0])


def _loss(name: str, delta: float, outputs: int) -> tuple[Any, Any, Any]:
    """Return a loss of margins and target, the ends of its slopes, and its conjugate."""
    kind, _, parameter = name.partition(":")
    if kind == "logistic" and outputs > 1:

        def softmax(m: Any, t: float) -> Any:
            shift = max(float(v.a) for v in m)
            return iv.log(sum((iv.exp(v - shift) for v in m), _ZERO)) + shift - m[int(t)]

        return softmax, None, lambda s, t: sum((_xlogx(_max(v + (c == int(t)), _ZERO)) for c, v in enumerate(s)), _ZERO)
    if outputs > 1 or kind not in ("logistic", "squared", "huber", "poisson", "quantile"):
        raise Refused(f"the loss {name} is not known")
    if kind == "logistic":

        def ends(t: float) -> Any:
            return (-_ONE, _ZERO) if t > 0 else (_ZERO, _ONE)

        def entropy(s: Any, t: float) -> Any:
            p = _max(-t * s[0], _ZERO)
            return _xlogx(p) + _xlogx(_max(1 - p, _ZERO))

        return lambda m, t: iv.log(1 + iv.exp(-abs(m[0]))) + _max(-t * m[0], _ZERO), ends, entropy
    if kind == "poisson":

        def deviance(s: Any, t: float) -> Any:
            mean = _max(s[0] + t, _ZERO)
            return _xlogx(mean) - mean - _xlogx(iv.mpf(t)) + t

        return lambda m, t: iv.exp(m[0]) - t * m[0] + _xlogx(iv.mpf(t)) - t, lambda t: (iv.mpf(-t), None), deviance
    level, h = (iv.mpf(float(parameter)), iv.mpf(0.01)) if kind == "quantile" else (None, _ONE)
    low, high = {"squared": (None, None), "huber": (-iv.mpf(delta), iv.mpf(delta)), "quantile": (-(level or 0), 1 - (level or 0))}[kind]

    def parabola(m: Any, t: float) -> Any:
        s = (m[0] - t) / h
        s = s if low is None else _max(low, _min(s, high))
        return s * (m[0] - t - h * s / 2)

    return parabola, lambda t: (low, high), lambda s, t: h * s[0] ** 2 / 2 + s[0] * t


def _threshold(penalty: str, f: Any, w: Any, scale: float) -> tuple[float, float]:
    """Return τ of the best response to the losses at a penalty coefficient, and its divergence, in double precision."""
    if penalty == "kl":
        u = (f - f.max()) / scale
        total = float(w @ np.exp(u))
        return float(f.max()) + scale * math.log(total), float(w @ (np.exp(u) / total * (u - math.log(total))))
    tau = float(w @ f)
    for _ in range(200):  # Newton's method, from below
        on = f > tau - scale
        step = (float(w[on] @ (f[on] - tau)) - scale * (1 - float(w[on].sum()))) / float(w[on].sum())
        if not step > 0 or tau + step == tau:
            break
        tau += step
    return tau, float(w @ (np.maximum(0, 1 + (f - tau) / scale) - 1) ** 2) / 2


def _multiplier(penalty: str, f: Any, w: Any, nu: float, radius: float) -> float:
    """Return λ ≥ ν at which the divergence of the best response is the radius; ν if it is smaller there."""
    spread = float(f.max() - f.min())
    low, high = max(nu, spread * 1e-18), max(nu, spread)
    if math.isinf(radius) or spread == 0 or _threshold(penalty, f, w, low)[1] <= radius:
        return nu
    while _threshold(penalty, f, w, high)[1] > radius:
        high *= 4
    for _ in range(200):
        mid = math.sqrt(low) * math.sqrt(high)
        if not low < mid < high:
            break
        low, high = (mid, high) if _threshold(penalty, f, w, mid)[1] > radius else (low, mid)
    return high


def _bounds(config: dict, x: Any, z: Any, target: Any, weight: Any, group: Any, y0: Any, s0: Any) -> tuple[Any, Any]:
    """Return the upper and the lower bound of the optimal objective."""
    (n, d), k = z.shape, s0.shape[1]
    value, ends, conjugate = _loss(config["loss"], config["huber_delta"], k)
    mu, free = iv.mpf(config["mu"]), 1 if config["intercept"] else 0
    xs = [[iv.mpf(float(v)) for v in row] for row in x.reshape(d, k)]
    margins = ([sum((xs[i][c] * float(v) for i, v in enumerate(row) if v), _ZERO) for c in range(k)] for row in z)
    f = [value(m, float(t)) for m, t in zip(margins, target, strict=True)]
    ridge = mu / 2 * sum((v**2 for row in xs[: d - free] for v in row), _ZERO)

    # The atoms of the adversary: rows, or groups with their mean losses. w has their reference weights.
    total, member = list(weight), list(range(n))
    adjust, share = [_ZERO] * n, [_ONE] * n
    average = config.get("average", "")
    if average not in _STRENGTH or config.get("adversary", "rows") not in ("", "rows", "groups"):
        raise Refused("the average or the adversary is not known")
    strength = _STRENGTH[average]
    if config.get("adversary") == "groups" or strength:
        names = sorted({g for g in group if g >= 0})
        mass = {g: float(sum(weight[group == g].tolist())) for g in names}
        if strength:
            scale = sum(m ** (1 - strength) for m in mass.values())
            total = [float(v) / (mass[g] ** strength * scale) if g >= 0 else 0.0 for v, g in zip(weight, group, strict=True)]
        else:
            member, total = [names.index(g) if g >= 0 else -1 for g in group], [mass[g] for g in names]
            within = {g: sum((iv.mpf(float(v)) for v in weight[group == g]), _ZERO) for g in names}
            share = [float(v) / within[g] if g >= 0 else _ZERO for v, g in zip(weight, group, strict=True)]
            adjust = [iv.mpf(config.get("group_adjust", 0.0) / math.sqrt(int((group == g).sum()))) for g in names]
    everything = sum((iv.mpf(float(v)) for v in total), _ZERO)
    w = [iv.mpf(float(v)) / everything for v in total]
    wf = np.array([float(v.a) for v in w])
    q, means = [_ZERO] * len(w), list(adjust)
    for j, a in enumerate(member):
        if a >= 0:
            q[a], means[a] = q[a] + float(y0[j]), means[a] + share[j] * f[j]
    mass_of_proof = sum(q, _ZERO)
    if not mass_of_proof.a > 0:
        raise Refused("all weights are 0")
    q = [v / mass_of_proof for v in q]
    for j, a in enumerate(member):
        if (a < 0 < y0[j]) or (a >= 0 and abs(float((q[a] * share[j]).a) - y0[j] / float(mass_of_proof.a)) > _TOLERANCE):
            raise Refused("the weights of the rows are not those of the groups")
    risk, y, psi = _set(config, means, q, w, wf)

    # The slopes move to where their conjugates are finite, and by one part of their room to where the intercept has no effect.
    slopes, rooms, used = [], [], [j for j in range(n) if member[j] >= 0 and y[member[j]].b > 0]
    of = {j: y[member[j]] * share[j] for j in used}
    for j in used:
        s = [iv.mpf(float(v)) for v in s0[j]]
        if k > 1:
            p = [_max(v + (c == int(target[j])), _ZERO) for c, v in enumerate(s)]
            p = [v / sum(p, _ZERO) for v in p]
            up = down = iv.mpf([min(v.a for v in p), min(v.b for v in p)])
            s = [v - (c == int(target[j])) for c, v in enumerate(p)]
        else:
            low, high = ends(float(target[j]))
            s = [s[0] if low is None else _max(low, s[0] if high is None else _min(s[0], high))]
            up = down = _ONE if low is None else _max(s[0] - low, _ZERO)
            up = up if high is None else _max(high - s[0], _ZERO)
        slopes.append(s)
        rooms.append((up, down))
    if free:
        room = [sum((of[j] * r[side] for j, r in zip(used, rooms, strict=True)), _ZERO) for side in (0, 1)]
        for c in range(k):
            rest = sum((of[j] * s[c] for j, s in zip(used, slopes, strict=True)), _ZERO)
            parts = []
            for need, have in ((_max(-rest, _ZERO), room[0]), (_max(rest, _ZERO), room[1])):
                if need.b > 0 and (not have.a > 0 or (need / have).b > 1):
                    raise Refused("the weights and slopes do not belong to an optimal intercept")
                parts.append(need / have if need.b > 0 else _ZERO)
            for s, (up, down) in zip(slopes, rooms, strict=True):
                s[c] = s[c] + parts[0] * up - parts[1] * down
    dual = sum((of[j] * conjugate(s, float(target[j])) for j, s in zip(used, slopes, strict=True)), _ZERO)
    g = [[_ZERO] * k for _ in range(d - free)]
    for j, s in zip(used, slopes, strict=True):
        for c in range(k):
            ys = of[j] * s[c]
            for i in np.flatnonzero(z[j, : d - free]):
                g[i][c] += ys * float(z[j, i])
    fixed = sum((v * a for v, a in zip(y, adjust, strict=True)), _ZERO) - psi
    return risk + ridge, fixed - dual - sum((v**2 for row in g for v in row), _ZERO) / (2 * mu)


def _set(config: dict, f: list, q: list, w: list, wf: Any) -> tuple[Any, list, Any]:
    """Return an upper bound of the risk at losses, the weights of the set next to q, and their penalty."""
    ess, protect, penalty = config.get("ess"), config.get("protect"), config["penalty"]
    if config.get("average") or ess == 1 or protect == 1 or config.get("spectral") in ("superquantile:1", "extremile:1"):
        if sum(abs(float((a - b).a)) for a, b in zip(q, w, strict=True)) > _TOLERANCE:
            raise Refused("the weights are not the given ones")
        return sum((a * b for a, b in zip(w, f, strict=True)), _ZERO), w, _ZERO
    values = np.array([float(v.a) for v in f])
    if protect:
        most = [v / iv.mpf(protect) for v in w]
        order = np.argsort(-values)
        tau = float(values[order][min(len(f) - 1, int(np.searchsorted(np.cumsum(wf[order]), protect)))])
        risk = tau + sum((m * _max(v - tau, _ZERO) for m, v in zip(most, f, strict=True)), _ZERO)
        y = [_min(a, m) for a, m in zip(q, most, strict=True)]
        cut, left = _max(1 - sum(y, _ZERO), _ZERO), [_max(m - a, _ZERO) for a, m in zip(y, most, strict=True)]
        if float(cut.a) > _TOLERANCE:
            raise Refused("the weights exceed w/α")
        room = sum(left, _ZERO)
        part = _min(cut / room, _ONE) if room.a > 0 else iv.mpf([0, 1])
        return risk, [a + part * b for a, b in zip(y, left, strict=True)], _ZERO
    name, _, parameter = (config.get("spectral") or "").partition(":")
    if name or penalty == "tv":
        return _ranked(name or "tv", float(parameter) if name else min(1.0, config.get("radius") or 0.0), f, q, w)
    if penalty not in ("kl", "chi2"):
        raise Refused(f"the divergence {penalty} is not known")
    nu, radius = float(config.get("nu") or 0), float(config.get("radius") or math.inf)
    if ess:
        radius = -math.log(ess) if penalty == "kl" else (1 / ess - 1) / 2
    scale = _multiplier(penalty, values, wf, nu, radius)
    if scale == 0:
        risk = iv.mpf(max(v.b for v, a in zip(f, w, strict=True) if a.b > 0))
    else:
        tau, h = _threshold(penalty, values, wf, scale)[0], iv.mpf(scale)
        u = [(v - tau) / h for v in f]
        star = [iv.exp(v) - 1 if penalty == "kl" else ((_max(v, -_ONE) + 1) ** 2 - 1) / 2 for v in u]
        risk = tau + h * sum((a * b for a, b in zip(w, star, strict=True)), _ZERO)
        risk = risk if math.isinf(radius) else risk + (h - nu) * iv.mpf(radius)
    pairs = [(a, b) for a, b in zip(q, w, strict=True) if b.b > 0]
    kl = penalty == "kl"
    divergence = _max(sum((b * _xlogx(a / b) + b - a if kl else (a - b) ** 2 / b / 2 for a, b in pairs), _ZERO), _ZERO)
    if not math.isinf(radius) and divergence.b > radius:
        mix = 1 - iv.mpf(radius) / iv.mpf(divergence.b)
        if float(mix.a) > _TOLERANCE:
            raise Refused("the divergence of the weights is larger than the radius")
        mix = iv.mpf(mix.b)
        q = [(1 - mix) * a + mix * b for a, b in zip(q, w, strict=True)]
    return risk, q, nu * divergence


def _ranked(name: str, parameter: float, f: list, q: list, w: list) -> tuple[Any, list, Any]:
    """Work like _set where the weights of every set A of atoms are at most g(w(A))."""
    p = iv.mpf(parameter)

    def extremile(m: Any) -> Any:
        rest = _max(1 - m, _ZERO)
        return 1 - iv.mpf(
            [0 if not rest.a > 0 else iv.exp(p * iv.log(iv.mpf(rest.a))).a, iv.exp(p * iv.log(iv.mpf(rest.b))).b if rest.b > 0 else 0]
        )

    of: dict[str, Callable[[Any], Any]] = {
        "tv": lambda m: _min(_ONE, p + m),
        "superquantile": lambda m: _min(_ONE, m / p),
        "extremile": extremile,
        "esrm": lambda m: (1 - iv.exp(-p * m)) / (1 - iv.exp(-p)),
    }
    if name not in of or not parameter > 0:
        raise Refused(f"the set {name} is not known")
    g = of[name]
    on = [j for j, v in enumerate(w) if v.b > 0]

    def sums(key: list) -> tuple[list, list]:
        mass: list[Any] = []
        order = sorted(on, key=lambda j: mp.make_mpf(key[j].b._mpi_[1]), reverse=True)
        for j in order:
            mass.append((mass[-1] if mass else _ZERO) + w[j])
        return order, [*(_min(m, _ONE) for m in mass[:-1]), _ONE]

    order, mass = sums(f)
    ends = [iv.mpf(f[j].b) for j in order]
    risk = ends[-1] + sum(((a - b) * g(m) for a, b, m in zip(ends, ends[1:], mass, strict=False)), _ZERO)
    ratio = [iv.mpf((q[j] / w[j]).b) if w[j].b > 0 else _ZERO for j in range(len(w))]
    order, mass = sums(ratio)
    mix, most = _ZERO, _ZERO
    for k, (j, m) in enumerate(zip(order, mass, strict=True)):
        most = most + ratio[j] * w[j]
        over, room = _min(most, _ONE) - g(m), _min(most, _ONE) - m
        if over.b > 0 and (room.a > 0 or k < len(order) - 1):
            mix = _max(mix, over / room if room.a > 0 else _ONE)
    mix = iv.mpf(mix.b)
    if float(mix.a) > _TOLERANCE:
        raise Refused("the weights are not in the set")
    return risk, [(1 - mix) * a + mix * b for a, b in zip(q, w, strict=True)], _ZERO


def check(model: str, proof: str, rows: str) -> tuple[Any, Any]:
    """Return the upper and the lower bound of the optimum, or raise Refused. The arguments are paths."""
    raw = Path(model).read_bytes()
    m, p, r = json.loads(raw), pq.read_table(proof).to_pydict(), pq.read_table(rows).to_pydict()
    config, stated = m["config"], m["result"]["certificate"]
    if sum(config.get(name) not in (None, "") for name in ("average", "nu", "ess", "protect", "radius", "spectral")) != 1:
        raise Refused("the set of the model is not known")
    slopes = [p[name] for name in p if name.startswith("slope")]
    numbers = np.column_stack([p["row"], p["weight"], *slopes]).astype("<f8")
    if hashlib.sha256(numbers.tobytes()).hexdigest() != p["digest"][0]:
        raise Refused("the proof was changed after it was written")
    if hashlib.sha256(raw).hexdigest() != p["model"][0]:
        raise Refused("the proof belongs to another model")
    if not m["result"]["certified"] or not config["mu"] > 0:
        raise Refused("the model is not certified, or mu is 0")
    if not np.array_equal(numbers[:, 0], r["row"]) or not (numbers[:, 1] >= 0).all() or not np.isfinite(numbers).all():
        raise Refused("the rows of the proof are not the encoded ones, or a number is not valid")
    z = np.column_stack([r[f"z{i}"] for i in range(len(m["encoder"]["columns"]))])
    target, weight, group = (np.array(r[name], dtype=float) for name in ("target", "weight", "group"))
    upper, lower = _bounds(config, np.array(m["coefficients"]), z, target, weight, group, numbers[:, 1], numbers[:, 2:])
    if upper.b > stated["upper"] or upper.b < stated["lower"]:
        raise Refused("the objective is not between the bounds that the model states")
    if not (iv.mpf(upper.b) - iv.mpf(lower.a)).b <= config["gap"] * upper.b:
        raise Refused("the weights prove a larger gap than the model states")
    return upper.b, lower.a


def main() -> int:
    """Print the bounds and whether the certificate is proved."""
    parser = argparse.ArgumentParser(prog="python -m drotrain.verify", description=(__doc__ or "").splitlines()[0])
    for name, text in (("model", "model.json"), ("proof", "file of train --proof"), ("rows", "file of verify --encoded")):
        parser.add_argument(name, help=text)
    try:
        upper, lower = check(**vars(parser.parse_args()))
    except Refused as reason:
        print("refused:", reason, file=sys.stderr)
        return 4
    bounds = [nstr(mp.make_mpf(v._mpi_[0]), 30, min_fixed=1, max_fixed=0) for v in (upper, lower)]
    print(f"upper bound   {bounds[0]}\nlower bound   {bounds[1]}\nproved")
    return 0


if __name__ == "__main__":
    sys.exit(main())

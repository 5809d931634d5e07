"""Builds the command with the local Go toolchain and puts it into the wheel.

Environment: DROTRAIN_BUILT_BINARY names a command that is already built; DROTRAIN_VERSION sets the version; GOOS and
GOARCH choose another platform; SOURCE_DATE_EPOCH makes the wheel reproducible.
"""

import json
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_11_0_x86_64",
    ("darwin", "arm64"): "macosx_11_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def platform():
    if os.environ.get("GOOS") and os.environ.get("GOARCH"):
        return os.environ["GOOS"], os.environ["GOARCH"]
    env = json.loads(output("go", "env", "-json", "GOOS", "GOARCH"))
    return env["GOOS"], env["GOARCH"]


def version():
    """Return DROTRAIN_VERSION, the tag of the commit, or a development version with the commit."""
    if os.environ.get("DROTRAIN_VERSION"):
        return os.environ["DROTRAIN_VERSION"].removeprefix("v")
    try:
        tag = re.fullmatch(r"v?(\d[\w.]*?)(?:-(\d+)-g(\w+))?", output("git", "describe", "--tags", "--match", "v*"))
        if tag:
            return tag[1] if not tag[2] else f"{tag[1]}.post{tag[2]}+g{tag[3]}"
    except (OSError, subprocess.CalledProcessError):
        pass
    try:
        return f"0.0.0.dev0+g{output('git', 'rev-parse', '--short', 'HEAD')}"
    except (OSError, subprocess.CalledProcessError):
        return "0.0.0.dev0"


class Build(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            self.put(HERE / "drotrain" / "bin")
        else:
            self.put(Path(self.build_lib).resolve() / "drotrain" / "bin")

    def put(self, folder):
        system, machine = platform()
        target = folder / ("drotrain.exe" if system == "windows" else "drotrain")
        shutil.rmtree(folder, ignore_errors=True)  # a build folder may hold the binary of another platform
        folder.mkdir(parents=True)
        built = os.environ.get("DROTRAIN_BUILT_BINARY")
        if built:
            shutil.copyfile(built, target)
        elif not (ROOT / "go.mod").exists() or not shutil.which("go"):
            raise SystemExit("drotrain: the command is built from a checkout with Go (https://go.dev/dl); or install a wheel")
        else:
            env = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine}
            command = ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(target), "./cmd/drotrain"]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
        target.chmod(0o755)


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", TAGS.get(platform()) or sysconfig.get_platform().replace("-", "_").replace(".", "_")


class Platform(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Platform)

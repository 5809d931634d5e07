"""Check the certificate of a model in 256-bit interval arithmetic, without any code of the solver.

``python -m drotrain.verify MODEL PROOF ROWS`` takes the model file, the proof that ``drotrain train --proof`` wrote, and the
encoded rows that ``drotrain verify --encoded`` wrote. verify/proofs.md states what is checked. mpmath is required.
"""

import argparse
import hashlib
import json
import math
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from mpmath import iv, mp, nstr

iv.prec = 256
_ZERO, _ONE = iv.mpf(0), iv.mpf(1)
# By average: with the strength s, the total weight of a group is proportional to (sum of its row weights)^(1 − s).
_STRENGTH = {"": 0.0, "plain": 0.0, "balanced": 1.0, "half-balanced": 0.5, "subsets": 0.0, "validation-subsets": 0.0}
_COUNT = 10  # number of averaged models
_TOLERANCE = 1e-9  # proportion of the weight by which weights may lie outside the set


class Refused(Exception):
    """The certificate is not proved; the message states the reason."""


def _max(a: Any, b: Any) -> Any:
    return iv.mpf([max(a.a, b.a), max(a.b, b.b)])


def _min(a: Any, b: Any) -> Any:
    return iv.mpf([min(a.a, b.a), min(a.b, b.b)])


def _xlogx(a: Any) -> Any:
    """Return a·log a, where negative parts of the interval a count as 0."""
    if a.a > 0 or a.b <= 0:
        return a * iv.log(a) if a.a > 0 else _ZERO
    top = iv.mpf(a.b)
    return iv.mpf([(top * iv.log(top)).a, 0])


def _array(values: Any) -> Any:
    """Return an array of intervals; numbers become intervals of length 0."""
    values = [iv.mpf(float(v)) if isinstance(v, (int, float, np.number)) else v for v in values]
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _loss(name: str, delta: float, outputs: int) -> tuple[Any, Any, Any, Any, Any]:
    """Return functions and numbers of a loss: loss(margins, target), range of the slope, conjugate(slopes, target), largest slope.

    None stands for no limit. The last result is (a, b) if the loss is at least a·|margin − target| − b, or None.
    """
    kind, _, parameter = name.partition(":")
    if kind == "logistic" and outputs > 1:

        def softmax(m: Any, t: float) -> Any:
            shift = max(float(v.a) for v in m)
            return iv.log(sum((iv.exp(v - shift) for v in m), _ZERO)) + shift - m[int(t)]

        return softmax, None, lambda s, t: sum((_xlogx(v + (c == int(t))) for c, v in enumerate(s)), _ZERO), None, None
    if outputs > 1 or kind not in ("logistic", "squared", "huber", "poisson", "quantile"):
        raise Refused(f"the loss {name} is unknown")
    if kind == "logistic":
        return (
            lambda m, t: iv.log(1 + iv.exp(-abs(m[0]))) + _max(-t * m[0], _ZERO),
            lambda t: (-_ONE, _ZERO) if t > 0 else (_ZERO, _ONE),
            lambda s, t: _xlogx(-t * s[0]) + _xlogx(1 - _max(-t * s[0], _ZERO)),
            _ONE,
            None,
        )
    if kind == "poisson":
        return (
            lambda m, t: iv.exp(m[0]) - t * m[0] + _xlogx(iv.mpf(t)) - t,
            lambda t: (iv.mpf(-t), None),
            lambda s, t: _xlogx(s[0] + t) - _max(s[0] + t, _ZERO) - _xlogx(iv.mpf(t)) + t,
            None,
            None,
        )
    h, low, high = _ONE, None, None
    if kind == "huber":
        low, high = -iv.mpf(delta), iv.mpf(delta)
    if kind == "quantile":
        h, low, high = iv.mpf(0.01), -iv.mpf(float(parameter)), 1 - iv.mpf(float(parameter))

    def parabola(m: Any, t: float) -> Any:
        s = (m[0] - t) / h if low is None else _max(low, _min((m[0] - t) / h, high))
        return s * (m[0] - t - h * s / 2)

    steepest, growth = (None, None) if low is None else (_max(-low, high), (_min(-low, high), h * _min(-low, high) ** 2 / 2))
    return parabola, lambda t: (low, high), lambda s, t: h * s[0] ** 2 / 2 + s[0] * t, steepest, growth


def _threshold(penalty: str, f: Any, w: Any, scale: float) -> tuple[float, float]:
    """Return the threshold τ of the best response to the losses f with the penalty coefficient scale, and its divergence.

    Both are computed in double precision.
    """
    if penalty == "kl":
        u = (f - f.max()) / scale
        total = float(w @ np.exp(u))
        return float(f.max()) + scale * math.log(total), float(w @ (np.exp(u) / total * (u - math.log(total))))
    order = np.argsort(-f)
    mass, mean = np.cumsum(w[order]), np.cumsum((w * (f - f.mean()))[order])
    tau = float(f.mean() + np.max(((mean - scale * (1 - mass)) / np.maximum(mass, 1e-300))[mass > 0]))
    return tau, float(w @ (np.maximum(0, 1 + (f - tau) / scale) - 1) ** 2) / 2


def _multiplier(penalty: str, f: Any, w: Any, nu: float, radius: float) -> float:
    """Return λ ≥ ν at which the divergence of the best response equals the radius, or the least λ if it is smaller there."""
    spread = float(f.max() - f.min())
    low, high = max(nu, spread * 1e-9), max(nu, spread) * 1e18
    if math.isinf(radius) or spread == 0:
        return nu
    if _threshold(penalty, f, w, low)[1] <= radius:
        return low
    for _ in range(70):
        mid = math.sqrt(low) * math.sqrt(high)
        low, high = (mid, high) if _threshold(penalty, f, w, mid)[1] > radius else (low, mid)
    return high


def _mix(q: Any, w: Any, part: Any) -> Any:
    """Return weights q that lie outside a set by rounding, moved towards the reference weights w by the given part."""
    if float(part.a) > _TOLERANCE:
        raise Refused("the weights are not in the ambiguity set")
    return q * (1 - iv.mpf(part.b)) + w * iv.mpf(part.b)


def _ranked(g: Any, f: Any, q: Any, w: Any) -> tuple[Any, Any, Any]:
    """Return the same as _set for the ambiguity set in which every set A of atoms has a weight of at most g(w(A))."""

    def sums(key: Any) -> tuple[list, list]:
        order = sorted((j for j, v in enumerate(w) if v.b > 0), key=lambda j: mp.make_mpf(key[j].b._mpi_[1]), reverse=True)
        return order, [*(_min(m, _ONE) for m in np.cumsum(w[order])[:-1]), _ONE]

    order, mass = sums(f)
    ends = [iv.mpf(f[j].b) for j in order]
    risk = ends[-1] + sum(((a - b) * g(m) for a, b, m in zip(ends, ends[1:], mass, strict=False)), _ZERO)
    ratio = _array(iv.mpf((a / b).b) if b.b > 0 else _ZERO for a, b in zip(q, w, strict=True))
    order, mass = sums(ratio)
    part = _ZERO
    for k, (most, m) in enumerate(zip(np.cumsum((ratio * w)[order]), mass, strict=True)):
        over, room = _min(most, _ONE) - g(m), _min(most, _ONE) - m
        if over.b > 0 and (room.a > 0 or k < len(order) - 1):
            part = _max(part, over / room if room.a > 0 else _ONE)
    return risk, _mix(q, w, part), _ZERO


def _spectrum(name: str, p: Any) -> Any:
    """Return the function g of _ranked for a spectral risk or the total variation with the parameter p."""

    def extremile(m: Any) -> Any:
        low, high = (iv.exp(p * iv.log(iv.mpf(v))) if v > 0 else _ZERO for v in ((1 - m).a, (1 - m).b))
        return 1 - iv.mpf([low.a, high.b])

    known = {
        "tv": lambda m: _min(_ONE, p + m),
        "superquantile": lambda m: _min(_ONE, m / p),
        "extremile": extremile,
        "esrm": lambda m: (1 - iv.exp(-p * m)) / (1 - iv.exp(-p)),
    }
    if name not in known or not p.a > 0:
        raise Refused(f"the ambiguity set {name} is unknown")
    return known[name]


def _set(config: dict, f: Any, q: Any, w: Any) -> tuple[Any, Any, Any]:
    """Return an upper bound of the risk for the losses f, weights in the set close to q, and an upper bound of their penalty."""
    ess, penalty, spectral = config.get("ess"), config["penalty"], config.get("spectral") or ""
    if config.get("protect"):
        spectral = f"superquantile:{config['protect']!r}"
    name, _, parameter = spectral.partition(":")
    is_mean = name in ("superquantile", "extremile") and float(parameter) == 1
    if config.get("average") or config.get("wasserstein") or ess == 1 or is_mean:
        if sum(abs(float((a - b).a)) for a, b in zip(q, w, strict=True)) > _TOLERANCE:
            raise Refused("the adversary's weights in the proof differ from the row weights, which this setting requires")
        return w @ f, w, _ZERO
    if any(b.b == 0 < a.b for a, b in zip(q, w, strict=True)):
        raise Refused("a weight is positive although its reference weight is 0")
    if name or penalty == "tv":
        return _ranked(_spectrum(name or "tv", iv.mpf(float(parameter) if name else min(1.0, config.get("radius") or 0.0))), f, q, w)
    if penalty not in ("kl", "chi2"):
        raise Refused(f"the divergence {penalty} is unknown")
    kl, (values, wf) = penalty == "kl", (np.array([float(v.a) for v in a]) for a in (f, w))
    nu, radius = float(config.get("nu") or 0), float(config.get("radius") or math.inf)
    if ess:
        radius = -math.log(ess) if kl else (1 / ess - 1) / 2
    scale = _multiplier(penalty, values, wf, nu, radius)
    risk = largest = iv.mpf(max(v.b for v, a in zip(f, w, strict=True) if a.b > 0))
    if scale > 0:
        tau, h = _threshold(penalty, values, wf, scale)[0], iv.mpf(scale)
        risk = tau + h * (w @ _array(iv.exp(v) - 1 if kl else ((_max(v, -_ONE) + 1) ** 2 - 1) / 2 for v in (f - tau) / h))
        risk = _min(largest, risk if math.isinf(radius) else risk + (h - nu) * iv.mpf(radius))
    terms = (b * _xlogx(a / b) + b - a if kl else (a - b) ** 2 / b / 2 for a, b in zip(q, w, strict=True) if b.b > 0)
    divergence = _max(sum(terms, _ZERO), _ZERO)
    if not math.isinf(radius) and divergence.b > radius:
        q = _mix(q, w, 1 - iv.mpf(radius) / iv.mpf(divergence.b))
    return risk, q, nu * divergence


def _slopes(s: Any, t: float, ends: Any) -> tuple[Any, Any, Any]:
    """Return slopes close to s at which the conjugate is finite, and by how much they can increase and decrease."""
    if ends is None:
        p = _array(_max(v + (c == int(t)), _ZERO) for c, v in enumerate(s))
        p = p / p.sum()
        room = iv.mpf([min(v.a for v in p), min(v.b for v in p)])
        return _array(v - (c == int(t)) for c, v in enumerate(p)), room, room
    low, high = ends(t)
    v = s[0] if high is None else _min(s[0], high)
    v = v if low is None else _max(low, v)
    down = _ONE if low is None else _max(v - low, _ZERO)
    return _array([v]), down if high is None else _max(high - v, _ZERO), down


def _parts_of_slopes(z: Any, row: Any, s: Any, weight: Any) -> Any:
    """Return p = z v for which Σ weight·p·z is exactly −Σ row·s·z in every column of z."""
    d = z.shape[1]
    m = np.hstack([z.T @ (weight[:, None] * z), -(z.T @ (row[:, None] * s))])
    kept: list[int] = []

    def solve(column: int) -> Any:
        x = np.full(d, _ZERO)
        for i in reversed([i for i in kept if i < column]):
            x[i] = (m[i, column] - (m[i, i + 1 : d] * x[i + 1 :]).sum()) / m[i, i]
        return x

    for i in range(d):
        if m[i, i].a > 0:
            kept.append(i)
            for below in range(i + 1, d):
                m[below, i:] = m[below, i:] - m[i, i:] * (m[below, i] / m[i, i])
            continue
        combination = _array(0.0 if 0 in v else float(v.mid) for v in solve(i))
        if any(v.a != 0 or v.b != 0 for v in z @ combination - z[:, i]):
            raise Refused("with mu = 0 the coefficient of a column cannot be bounded")
    return z @ np.column_stack([solve(d + c) for c in range(s.shape[1])])


def _bounds(config: dict, x: Any, z: Any, target: Any, weight: Any, group: Any, y0: Any, s0: Any) -> tuple[Any, Any]:
    """Return the upper and the lower bound of the optimal objective."""
    (n, d), k = z.shape, s0.shape[1]
    value, ends, conjugate, steepest, growth = _loss(config["loss"], config["huber_delta"], k)
    mu, kept, z, x = iv.mpf(config["mu"]), d - bool(config["intercept"]), z.astype(object), _array(x.ravel()).reshape(d, k)
    distance = config.get("wasserstein")
    if distance and steepest is None:
        raise Refused("a Wasserstein ball needs a loss with bounded slopes")
    radius = iv.mpf(distance) * steepest if distance else _ZERO
    margins, squares = z @ x, _ZERO + (x[:kept] ** 2).sum()
    f = _array(value(m, float(t)) for m, t in zip(margins, target, strict=True))

    # The adversary's atoms are rows, or groups with their mean losses. share is a row's proportion of the weight of its atom.
    average, of = config.get("average", ""), config.get("adversary") or "rows"
    if average not in _STRENGTH or of not in ("rows", "groups"):
        raise Refused("the average or the adversary of the model is unknown")
    names = sorted({g for g in group if g >= 0})
    mass = {g: float(sum(weight[group == g].tolist())) for g in names}
    total, member, share, adjust = list(weight), np.arange(n), np.full(n, _ONE), np.full(n, _ZERO)
    if of == "groups":
        total, member = [mass[g] for g in names], np.array([names.index(g) if g >= 0 else -1 for g in group])
        within = {g: _array(weight[group == g]).sum() for g in names}
        share = _array(float(v) / within[g] if g >= 0 else _ZERO for v, g in zip(weight, group, strict=True))
        adjust = _array(config.get("group_adjust", 0.0) / math.sqrt(int((group == g).sum())) for g in names)
    elif strength := _STRENGTH[average]:
        scale = sum(m ** (1 - strength) for m in mass.values())
        total = [float(v) / (mass[g] ** strength * scale) if g >= 0 else 0.0 for v, g in zip(weight, group, strict=True)]
    w = _array(total)
    w, q, means = w / w.sum(), np.full(len(w), _ZERO), adjust.copy()
    if not all(v == 0 or a >= 0 for v, a in zip(y0, member, strict=True)) or not any(y0):
        raise Refused("all weights are 0, or a row without a group has a positive weight")
    np.add.at(q, member[member >= 0], _array(y0[member >= 0]))
    np.add.at(means, member[member >= 0], (share * f)[member >= 0])
    q, all_of_proof = q / q.sum(), float(q.sum().a)
    if any(a >= 0 and abs(float((q[a] * v).a) - y / all_of_proof) > _TOLERANCE for y, a, v in zip(y0, member, share, strict=True)):
        raise Refused("the weights of the rows do not match the weights of the groups")
    risk, y, psi = _set(config, means, q, w)
    upper = risk + mu / 2 * squares + radius * iv.sqrt(squares)

    # Slopes are moved so that their conjugates are finite, then by a common part of their room so that the intercept cancels.
    free = config["mu"] == 0 and not distance
    used = [j for j in range(n) if member[j] >= 0 and (w if free and growth else y)[member[j]].b > 0]
    moved = [_slopes(_array(s0[j]), float(target[j]), ends) for j in used]
    s, up, down = np.array([m[0] for m in moved], dtype=object).reshape(-1, k), _array(m[1] for m in moved), _array(m[2] for m in moved)
    row, room = _array(y[member[j]] * share[j] for j in used), _array(_min(*v) for v in zip(up, down, strict=True))
    every, constant = list(range(len(used))), y @ adjust - psi

    def conjugates(s: Any, on: Any) -> Any:
        return row[on] @ _array(conjugate(v, float(target[used[i]])) for v, i in zip(s, on, strict=True))

    def balanced(parts: Any, on: Any) -> Any:
        if any(abs(v).b > 1 for v in parts.ravel()):
            raise Refused("with mu = 0 the slopes must cancel in every column, but the slopes of the proof do not cancel")
        return -conjugates(s[on] + room[on, None] * parts, on)

    def grown(parts: Any, on: Any) -> Any:
        residuals = of @ _array(abs(v) for v in margins[used, 0] - _array(target[used]))
        within = (iv.mpf(upper.b) + growth[1] - w @ adjust) / growth[0] + residuals
        return row @ (s[:, 0] * margins[used, 0]) - conjugates(s, on) - within * iv.mpf(max(abs(v).b for v in parts.ravel()))

    if free:  # no column has a penalty
        of, own = _array(w[member[j]] * share[j] for j in used), [i for i in every if row[i].b > 0]
        lowers, reasons = [], []
        for on, weights, bound in [(own, row * room, balanced), (every, of, grown)][: 2 if growth else 1]:
            try:
                lowers.append(bound(_parts_of_slopes(z[used][on], row[on], s[on], weights[on]), on))
            except Refused as reason:
                reasons.append(reason)
        if not lowers:
            raise reasons[0]
        return upper, constant + reduce(_max, lowers)
    for c in range(k if 0 < kept < d else 0):
        rest = row @ s[:, c]
        for need, room in ((_max(-rest, _ZERO), up), (-_max(rest, _ZERO), -down)):
            have = abs(row @ room)
            if abs(need).b > 0:
                if not have.a > 0 or (abs(need) / have).b > 1:
                    raise Refused("for these weights and slopes, the intercept of the model is not optimal")
                s[:, c] = s[:, c] + room * (abs(need) / have)
    steep = iv.sqrt(_ZERO + ((z[used, :kept].T @ (row[:, None] * s)) ** 2).sum())
    if config["mu"] == 0 and steep.b > radius.a:
        s = s * iv.mpf((radius / iv.mpf(steep.b)).a)
    return upper, constant - conjugates(s, every) - (_max(steep - radius, _ZERO) ** 2 / (2 * mu) if config["mu"] > 0 else _ZERO)


def _parts(m: dict, numbers: Any, rows: Any, group: Any) -> list[tuple[Any, Any, Any]]:
    """Return the coefficients, the proof and the indices of the rows of the model.

    For a mean of models, return these for every averaged model, and check that its rows are balanced.
    """
    if not m["config"].get("average", "").endswith("subsets"):
        if not np.array_equal(numbers[:, 0], rows):
            raise Refused("the rows of the proof are not the encoded rows")
        return [(m["coefficients"], numbers, np.arange(len(rows)))]
    averaged = np.array(m.get("averaged_coefficients", []))
    mean = [_array(x).sum() / _COUNT for x in averaged.T]
    rounding = ((_COUNT + 2) * 2.0**-53 * np.abs(averaged).mean(axis=0)).tolist()
    if len(averaged) != _COUNT or any(abs(a - b).b > c for a, b, c in zip(mean, m["coefficients"], rounding, strict=True)):
        raise Refused("the coefficients are not the mean of the coefficients of the averaged models")
    least, parts = min(np.unique(group[group >= 0], return_counts=True)[1]), []
    for k, x in enumerate(averaged):
        part = numbers[numbers[:, 0] == k + 1, 1:]
        at = np.flatnonzero(np.isin(rows, part[:, 0]) & (group >= 0))
        if not np.array_equal(rows[at], part[:, 0]) or any((group[at] == g).sum() != least for g in set(group[group >= 0])):
            raise Refused("a part of the proof does not cover a balanced subset")
        parts.append((x, part, at))
    return parts


def check(model: str, proof: str, rows: str) -> tuple[Any, Any]:
    """Return the upper and the lower bound of the optimal objective, or raise Refused. The arguments are paths."""
    raw = Path(model).read_bytes()
    m, p, r = json.loads(raw), pq.read_table(proof).to_pydict(), pq.read_table(rows).to_pydict()
    config, stated = m["config"], m["result"]["certificate"]
    sets = ("average", "nu", "ess", "protect", "radius", "spectral", "wasserstein")
    if sum(config.get(name) not in (None, "") for name in sets) != 1:
        raise Refused("the ambiguity set of the model is unknown")
    numbers = np.column_stack([p[name] for name in p if name.startswith(("part", "row", "weight", "slope"))]).astype("<f8")
    if hashlib.sha256(numbers.tobytes()).hexdigest() != p["digest"][0] or hashlib.sha256(raw).hexdigest() != p["model"][0]:
        raise Refused("the proof was changed after it was written, or belongs to a different model")
    if not m["result"]["certified"] or not config["mu"] >= 0:
        raise Refused("the model is not certified, or its mu is below 0")
    if not np.isfinite(numbers).all():
        raise Refused("a number of the proof is not finite")
    z = np.column_stack([r[f"z{i}"] for i in range(sum(name.startswith("z") for name in r))])
    if len(m["coefficients"]) % z.shape[1]:  # one set of coefficients, or one per class
        raise Refused("the encoded rows have a different number of columns from the model")
    numbered, target, weight, group = (np.array(r[name], dtype=float) for name in ("row", "target", "weight", "group"))
    upper = lower = _ZERO
    parts = _parts(m, numbers, numbered, group)
    for x, part, at in parts:
        if (part[:, 1] < 0).any():
            raise Refused("a weight of the proof is below 0")
        bounds = _bounds(config, np.array(x), z[at], target[at], weight[at], group[at], part[:, 1], part[:, 2:])
        upper, lower = upper + bounds[0] / len(parts), lower + bounds[1] / len(parts)
    if upper.b > stated["upper"] or upper.b < stated["lower"]:
        raise Refused("the objective does not lie between the bounds that the model states")
    if not (iv.mpf(upper.b) - iv.mpf(lower.a)).b <= config["gap"] * upper.b:
        raise Refused("the weights prove a larger gap than the model states")
    return upper.b, lower.a


def main() -> int:
    """Print the bounds, or the reason why the certificate is not proved, and return the exit code."""
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

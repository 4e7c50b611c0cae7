"""The sparse derivatives through interfaces/dyn_model.py: against central differences.
    derivatives.py FOLDER_OF_DYN_MODEL MODEL.so"""
import sys

sys.path.insert(0, sys.argv[1])
from dyn_model import load  # noqa: E402


def differences(function, argument, rows):
    columns = []
    for j, own in enumerate(argument):
        h = 1e-5 * (own or 1)
        sides = []
        for at in (own + h, own - h):
            sides.append(list(function(argument[:j] + [at] + argument[j + 1:])))
        columns.append([(a - b) / (2 * h) for a, b in zip(*sides)][:rows])
    return [list(row) for row in zip(*columns)]


def main(path):
    model = load(path, "test")
    t, p = 0.3, list(model.parameters())
    x, u = list(model.assembled_start()), list(model.call("default_inputs", 0.3, None, None, p))
    p, u = p[:model.raw.n_parameters], u[:model.raw.n_inputs]  # arrays hold one entry at least
    assert len(x) == len(model.states)
    for of, name in (("rhs", "rhs"), ("output_values", "outputs")):
        rows = len(model.states) if of == "rhs" else len(model.outputs)
        for by, argument, function in (
                ("state", x, lambda a: model.call(of, t, a, u, p)),
                ("inputs", u, lambda a: model.call(of, t, x, a, p)),
                ("parameters", p, lambda a: model.call(of, t, x, u, a))):
            derivative = "jacobian" if (name, by) == ("rhs", "state") else f"{name}_by_{by}"
            if not getattr(model.raw, derivative):
                assert not argument or not rows, derivative
                continue
            exact = model.matrix(derivative, t, x, u, p)
            expected = differences(function, argument, rows)
            for i, row in enumerate(expected):
                for j, value in enumerate(row):
                    assert abs(exact[i][j] - value) <= 1e-6 * (1 + abs(value)), (derivative, i, j)
    mass = model.call("mass_matrix", t, x, u, p)
    n = len(model.coordinates)
    listed = set(model.pattern("mass_matrix"))
    assert all((i, j) in listed or mass[i + j * n] == 0 for i in range(n) for j in range(n))


main(sys.argv[2])

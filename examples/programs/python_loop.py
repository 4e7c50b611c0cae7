"""A compiled model in Python, with its own loop: four stages of Runge and Kutta.

    dyn build double_pendulum.dyn --emit shared -o double_pendulum.so
    python3 python_loop.py double_pendulum.so DoublePendulum
"""
import sys

from dyn_model import load

PART, WEIGHT = (0, 0.5, 0.5, 1), (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def step(model, p, t, h, x):
    slope, change = [0.0] * len(x), [0.0] * len(x)
    for part, weight in zip(PART, WEIGHT):
        at = [a + part * h * b for a, b in zip(x, slope)]
        slope = list(model.call("rhs", t + part * h, at, None, p))
        change = [a + weight * b for a, b in zip(change, slope)]
    return [a + h * b for a, b in zip(x, change)]


def main(path, prefix):
    model = load(path, prefix)
    p = model.parameters()
    x = list(model.start(p))
    for variable, value in zip(model.accelerations, model.call("acceleration", 0.0, x, None, p)):
        print(f"{variable.name} {value!r}")
    for i in range(2000):
        x = step(model, p, i * 0.001, 0.001, x)
    for variable, value in zip(model.coordinates, x):
        print(f"{variable.name} {value!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])

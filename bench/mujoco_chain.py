"""mujoco_chain.py: ns of one forward dynamics of the chain in MuJoCo for each number of links given.

Hinges between links, as in chain_relative.dyn. MuJoCo wants a little inertia for each body and does
more than accelerations (its own constraint stages find nothing to do here). Prints `n ns` a line;
exit status 3 where MuJoCo is not installed.
"""
import statistics
import sys
import time

try:
    import mujoco
except ImportError:
    sys.exit(3)


def chain(n):
    text = ""
    for i in range(n):
        place = "0 0 0" if i == 0 else "0 -0.1 0"
        text += f'<body pos="{place}"><joint type="hinge" axis="0 0 1"/>'
        text += '<inertial pos="0 -0.1 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/>'
    return (
        '<mujoco><compiler boundmass="0"/><option gravity="0 -9.81 0">'
        '<flag contact="disable" constraint="disable"/></option><worldbody>'
        + text + "</body>" * n + "</worldbody></mujoco>"
    )


for n in map(int, sys.argv[1:]):
    model = mujoco.MjModel.from_xml_string(chain(n))
    data = mujoco.MjData(model)
    data.qpos[:] = [0.1 * (i % 3) for i in range(n)]
    rounds = []
    for _ in range(15):
        calls = max(20, 20000 // n)
        started = time.perf_counter()
        for _ in range(calls):
            mujoco.mj_forward(model, data)
        rounds.append(1e9 * (time.perf_counter() - started) / calls)
    print(n, round(statistics.median(rounds)))

"""Compiled dyn models in Python, through ctypes alone.

    from dyn_model import load
    model = load("./pendulum.so", "Pendulum")       # dyn build pendulum.dyn --emit shared
    p = model.parameters(l=2)                       # the others at their defaults
    x = model.start(p)
    dx = model.call("rhs", 0.0, x, None, p)         # any function of dyn_model.h

The layout of the struct is read from dyn/dyn_model.h, so that the two can't differ. All quantities are
in SI units and radians. A loaded model may be used by several threads, each with its own workspace
(Model.workspace).
"""
import ctypes
import os
import re

_POINTER = {"uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32, "double": ctypes.c_double}


def _find_header():
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.environ.get("DYN_INCLUDE", "")]
    while here != os.path.dirname(here):  # share/dyn/python, or the folder of the sources
        here = os.path.dirname(here)
        folders.append(os.path.join(here, "include"))
    for folder in folders:
        path = os.path.join(folder, "dyn", "dyn_model.h")
        if folder and os.path.exists(path):
            return path
    raise FileNotFoundError("dyn/dyn_model.h is not installed beside this file: set DYN_INCLUDE")


def _read_header(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    abi = int(re.search(r"#define DYN_MODEL_ABI (\d+)", text).group(1))
    structs = {}
    for name, body in re.findall(r"(?:typedef )?struct (dyn_\w+) \{(.*?)\}", text, flags=re.S):
        fields = []
        for line in filter(None, (part.strip() for part in body.split(";"))):
            match = re.fullmatch(r"(?:const )?(\w+) (.*)", line, flags=re.S)
            for declared in match.group(2).split(","):
                declared = declared.strip()
                is_pointer = declared.startswith("*")
                declared = declared.lstrip("* ")
                if not is_pointer:
                    kind = _POINTER[match.group(1)]
                elif match.group(1) == "char":
                    kind = ctypes.c_char_p
                else:
                    kind = ctypes.c_void_p
                fields.append((declared, kind, match.group(1)))
        structs[name] = fields
    return abi, structs


_ABI, _FIELDS = _read_header(_find_header())
_STRUCTS = {name: type(name, (ctypes.Structure,), {"_fields_": [(f, k) for f, k, _ in fields]})
            for name, fields in _FIELDS.items()}
_KINDS = {f: kind for f, _, kind in _FIELDS["dyn_model"]}
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double,
                             *[ctypes.c_void_p] * 5)


class Variable:
    """A named quantity: name, unit, doc, value (default or start value)."""

    def __init__(self, raw):
        self.name = raw.name.decode()
        self.unit = raw.unit.decode()
        self.doc = raw.doc.decode()
        self.value = raw.value

    def __repr__(self):
        return f"{self.name} [{self.unit}] = {self.value!r}"


class ModelError(Exception):
    """A function of the model failed; `unknown` is the name at which a matrix lost rank."""


def _array(values, count):
    if isinstance(values, ctypes.Array):
        return values
    return (ctypes.c_double * max(count, 1))(*(values if values is not None else ()))


class Model:
    def __init__(self, library, raw):
        self._library = library  # kept open
        self.raw = raw
        if raw.abi != _ABI or raw.size != ctypes.sizeof(_STRUCTS["dyn_model"]):
            raise ModelError(f"the model was compiled for interface {raw.abi}, this is {_ABI}")
        self.name = raw.name.decode()
        for table, count in (("coordinates", raw.n_coordinates), ("velocities", raw.n_coordinates),
                             ("accelerations", raw.n_coordinates), ("rates", raw.n_rates),
                             ("inputs", raw.n_inputs), ("outputs", raw.n_outputs)):
            setattr(self, table, self._variables(table, count))
        self.method_variables = (self._variables("method_variables", raw.n_coordinates)
                                 if raw.method_variables else self.velocities)
        self.parameter_variables = self._variables("parameters", raw.n_parameters)
        self.states = self.coordinates + self.velocities + self.rates
        self._functions = {}
        self._work = self.workspace()

    def _variables(self, table, count):
        address = getattr(self.raw, table)
        if not count:
            return []
        return [Variable(raw) for raw in (_STRUCTS["dyn_variable"] * count).from_address(address)]

    def workspace(self):
        return (ctypes.c_double * (self.raw.n_work + 1))()

    def _size(self, function):
        if function + "_pattern" in _KINDS and function != "mass_matrix":
            pattern = self._pattern(function)
            return pattern.n_entries if pattern else None
        r = self.raw
        n, m, columns = r.n_coordinates, r.n_constraints, r.n_coordinates + r.n_rates
        return {"complete_parameters": r.n_parameters, "default_inputs": r.n_inputs,
                "run_defaults": 6, "start": r.n_state,
                "initial_position_equations": r.n_initial_position * (1 + columns),
                "initial_velocity_equations": r.n_initial_velocity * (1 + n),
                "position_residuals": r.n_position * (1 + n),
                "velocity_residuals": m * (1 + n), "constraint_bias": m,
                "multiplier_force": n * m, "multipliers": m + 1, "rhs": r.n_state,
                "method_state": r.n_state, "natural_state": r.n_state,
                "acceleration": n, "mass_matrix": n * n, "forcing": n,
                "energies": 2, "output_values": r.n_outputs,
                "invariant_values": r.n_invariants, "event_values": r.n_events,
                "event_rates": r.n_events, "reset_values": r.n_resets,
                "reset_targets": r.n_resets * (1 + n)}.get(function)

    def _pattern(self, name):
        address = getattr(self.raw, name + "_pattern")
        return _STRUCTS["dyn_pattern"].from_address(address) if address else None

    def pattern(self, name):
        """Where the entries of a sparse derivative ("jacobian", "rhs_by_inputs", ...) stand, and which
        entries of "mass_matrix", "position_jacobian", "velocity_jacobian" may differ from 0: a list
        of pairs (row, column), in the order of the entries. None where the model has none."""
        if name + "_pattern" not in _KINDS:
            raise AttributeError(f"dyn_model has no pattern of '{name}'")
        pattern = self._pattern(name)
        if pattern is None:
            return None
        starts = (ctypes.c_int32 * (pattern.n_columns + 1)).from_address(pattern.columns)
        rows = ((ctypes.c_int32 * pattern.n_entries).from_address(pattern.rows)
                if pattern.n_entries else ())
        return [(rows[e], j) for j in range(pattern.n_columns)
                for e in range(starts[j], starts[j + 1])]

    def matrix(self, function, t=0.0, x=None, u=None, p=None):
        """A sparse derivative as a list of rows."""
        values = self.call(function, t, x, u, p)
        pattern = self._pattern(function)
        rows = [[0.0] * pattern.n_columns for _ in range(pattern.n_rows)]
        for (i, j), value in zip(self.pattern(function), values):
            rows[i][j] = value
        return rows

    def call(self, function, t=0.0, x=None, u=None, p=None, out=None, work=None):
        """Calls a function of dyn_model.h; arguments are sequences or ctypes arrays (which are not
        copied), missing inputs and parameters are the defaults. Returns the ctypes array `out`."""
        if _KINDS.get(function) != "dyn_function":
            raise AttributeError(f"dyn_model has no function '{function}'")
        if function not in self._functions:
            address = getattr(self.raw, function)
            self._functions[function] = _FUNCTION(address) if address else None
        code = self._functions[function]
        if code is None:
            raise ModelError(f"model {self.name} has no '{function}'")
        r = self.raw
        if out is None:
            if self._size(function) is None:
                raise ValueError(f"'{function}' needs an array `out`: see dyn_model.h for its size")
            out = (ctypes.c_double * max(self._size(function), 1))()
        if p is None and function != "complete_parameters":
            p = self.parameters()
        if u is None and r.n_inputs and function not in ("complete_parameters", "default_inputs"):
            u = self.call("default_inputs", t, None, (0.0,) * r.n_inputs, p)
        arrays = [_array(x, r.n_state if function != "complete_parameters" else r.n_parameters),
                  _array(u, r.n_inputs), _array(p, r.n_parameters)]
        status = code(ctypes.addressof(r), t, *(ctypes.addressof(a) for a in arrays),
                      ctypes.addressof(work if work is not None else self._work),
                      ctypes.addressof(out))
        if status != 0:
            unknowns = [v.name for v in self.accelerations] + [
                f"constraint {c.name.decode()}" for c in
                (_STRUCTS["dyn_constraint"] * r.n_constraints).from_address(r.constraints)
            ] if r.n_constraints else [v.name for v in self.accelerations]
            raise ModelError(f"{function}: the equations lost rank at {unknowns[status - 1]}")
        return out

    def parameters(self, **values):
        """All parameters: those given by name, the rest at their defaults or what they follow."""
        count = self.raw.n_parameters
        own, is_set = [0.0] * count, [0.0] * count
        names = [v.name for v in self.parameter_variables]
        for name, value in values.items():
            if name not in names:
                raise KeyError(f"model {self.name} has no parameter '{name}'")
            own[names.index(name)] = value
            is_set[names.index(name)] = 1.0
        return self.call("complete_parameters", 0.0, is_set, None, own)

    def assembled_start(self):
        """The start state at the default parameters, with constraints and `initial` equations
        satisfied; None if `dyn build` found none."""
        if not self.raw.assembled_start:
            return None
        values = (ctypes.c_double * self.raw.n_state).from_address(self.raw.assembled_start)
        return (ctypes.c_double * self.raw.n_state)(*values)

    def start(self, p=None, t=0.0):
        """The start values as written (constraints and `initial` equations are not looked at)."""
        return self.call("start", t, None, None, p)


def load(path, prefix):
    """The model <prefix>_model of a shared library."""
    library = ctypes.CDLL(os.path.abspath(path))
    return Model(library, _STRUCTS["dyn_model"].in_dll(library, prefix + "_model"))

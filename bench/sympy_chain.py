"""sympy_chain.py N FILE: the chain of N links derived by SymPy (LagrangesMethod), as C.

Writes `chain_sympy` for chain_rhs.c: mass matrix and forcing with common subexpressions taken out,
then a Cholesky solution in loops.
"""
import sys

import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

n, path = int(sys.argv[1]), sys.argv[2]
m, l, g = sp.symbols("m l g", positive=True)
t = dynamicsymbols._t
q = dynamicsymbols(f"q:{n}")
v = [angle.diff(t) for angle in q]
x = y = vx = vy = sp.Integer(0)
lagrangian = sp.Integer(0)
for angle, rate in zip(q, v):
    x, y = x + l * sp.sin(angle), y - l * sp.cos(angle)
    vx, vy = vx + l * sp.cos(angle) * rate, vy + l * sp.sin(angle) * rate
    lagrangian += m / 2 * (vx**2 + vy**2) - m * g * y
method = LagrangesMethod(lagrangian, q)
method.form_lagranges_equations()

names = {**{a: sp.Symbol(f"x[{n + i}]") for i, a in enumerate(v)}}
positions = {a: sp.Symbol(f"x[{i}]") for i, a in enumerate(q)}
roots = [method.mass_matrix[i, j] for i in range(n) for j in range(i + 1)] + list(method.forcing)
shared, roots = sp.cse([e.subs(names).subs(positions) for e in roots])
with open(path, "w") as out:
    out.write('#include "bench.h"\n#include <math.h>\n#include <string.h>\n')
    out.write("void chain_sympy(void *self, const double *x, double *out) {\n")
    out.write("  const struct chain *chain = self;\n  double m = chain->m, l = chain->l, g = chain->g;\n")
    out.write(f"  enum {{ n = {n} }};\n  double a[n * n], *b = out + n;\n")
    for symbol, e in shared:
        out.write(f"  double {symbol} = {sp.ccode(e)};\n")
    places = [f"a[{i} * n + {j}]" for i in range(n) for j in range(i + 1)]
    for place, e in zip(places + [f"b[{i}]" for i in range(n)], roots):
        out.write(f"  {place} = {sp.ccode(e)};\n")
    out.write("""  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    double root = 1 / sqrt(a[j * n + j]);
    for (int i = j; i < n; i++) a[i * n + j] *= root;
    a[j * n + j] = root;
    b[j] *= root;
    for (int i = j + 1; i < n; i++) b[i] -= a[i * n + j] * b[j];
  }
  for (int j = n; j-- > 0;) {
    for (int i = j + 1; i < n; i++) b[j] -= a[i * n + j] * b[i];
    b[j] *= a[j * n + j];
  }
  memcpy(out, x + n, n * sizeof *out);
  (void)m, (void)l, (void)g;
}
""")

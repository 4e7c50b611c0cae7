// Two models in one program, from C++. Prints the accelerations of both at their start.
#include "cart_pole.h"
#include "double_pendulum.h"
#include <cstdio>
#include <string>
#include <vector>

class Model {
public:
  explicit Model(const dyn_model &compiled)
      : model(compiled), work(compiled.n_work + 1), p(compiled.n_parameters), u(compiled.n_inputs),
        x(compiled.n_state) {
    std::vector<double> set(p.size()), own(p.size());
    model.complete_parameters(&model, 0, set.data(), nullptr, own.data(), work.data(), p.data());
    model.default_inputs(&model, 0, nullptr, nullptr, p.data(), work.data(), u.data());
    model.start(&model, 0, nullptr, u.data(), p.data(), work.data(), x.data());
  }

  std::vector<double> acceleration() {
    std::vector<double> a(model.n_coordinates);
    if (model.acceleration(&model, 0, x.data(), u.data(), p.data(), work.data(), a.data()) != DYN_OK)
      throw std::string("the mass matrix is singular");
    return a;
  }

  const dyn_model &model;

private:
  std::vector<double> work, p, u, x;
};

int main() {
  for (const dyn_model *compiled : {&DoublePendulum_model, &cart_model}) {
    Model model(*compiled);
    const auto a = model.acceleration();
    for (std::size_t i = 0; i < a.size(); i++)
      std::printf("%s %s %.17g\n", compiled->name, compiled->accelerations[i].name, a[i]);
  }
}

#include "core/clock.hpp"

#include <limits>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "core/portable_math.hpp"
#include "core/random.hpp"

namespace annealco {

namespace {

/// Let Python handle signals, Ctrl-C above all, while the core works in its main thread.
void handle_signals() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

bool is_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

constexpr double kForever = std::numeric_limits<double>::infinity();

Clock* make_clock(std::optional<double> seconds, std::optional<std::int64_t> moves,
                  const std::shared_ptr<StopFlag>& stop, const std::shared_ptr<Patience>& patience) {
  return new Clock(seconds.value_or(kForever), moves.value_or(Clock::kNoLimit), stop, patience,
                   is_main_thread() ? handle_signals : nullptr);
}

std::shared_ptr<Patience> make_patience(std::optional<double> seconds, std::optional<std::int64_t> moves) {
  require(!seconds || *seconds > 0, "patience must be of more than 0 seconds");
  require(!moves || *moves > 0, "patience must be of more than 0 moves");
  return std::make_shared<Patience>(seconds.value_or(kForever), moves.value_or(Patience::kNoLimit));
}

}  // namespace

void bind_clock(nb::module_& module) {
  nb::class_<StopFlag>(module, "StopFlag", "A flag that any thread may set, and that work in the core reads.")
      .def(nb::init<>())
      .def("set", &StopFlag::set, "Ask all work that reads this flag to end.")
      .def("is_set", &StopFlag::is_set, "Tell whether an end was asked for.");

  nb::class_<Patience>(module, "Patience",
                       "Seconds and moves without a better assignment after which a search ends; clocks that are given "
                       "the same one go on counting.")
      .def(nb::new_(&make_patience), nb::kw_only(), nb::arg("seconds") = nb::none(), nb::arg("moves") = nb::none())
      .def_prop_ro("is_over", &Patience::is_over, "Whether so much has passed in vain by the end of the last clock.")
      .def_prop_ro("seconds_left", &Patience::seconds_left, "Seconds that may still pass in vain, inf without a limit.")
      .def_prop_ro("moves_left", &Patience::moves_left, "Moves that may still be made in vain.")
      .def("improve", &Patience::improve, nb::arg("cost"),
           "Tell whether a cost is lower than all before; if so, nothing has passed in vain since.")
      .def(
          "wait",
          [](Patience& patience, double seconds, std::int64_t moves) {
            require(seconds >= 0 && moves >= 0 && moves < Patience::kNoLimit / 2, "time must not run backwards");
            patience.spend(patience.idle_seconds() + seconds, patience.idle_moves() + moves);
          },
          nb::arg("seconds"), nb::arg("moves"), "Count what has passed in vain without a clock.");

  nb::class_<Clock>(module, "Clock", "Seconds, moves and a stop flag that bound work in the core; the time begins now.")
      .def(nb::new_(&make_clock), nb::kw_only(), nb::arg("seconds") = nb::none(), nb::arg("moves") = nb::none(),
           nb::arg("stop") = nb::none(), nb::arg("patience") = nb::none())
      .def_prop_ro("moves", &Clock::moves, "Moves made.")
      .def_prop_ro("elapsed", &Clock::elapsed, "Seconds since the start.")
      .def_prop_ro(
          "is_over", [](Clock& clock) { return clock.is_over(Clock::kNoLimit / 2); },
          "Whether the time is over or an end was asked for.")
      .def(
          "record", [](Clock& clock, double cost) { clock.record(cost); }, nb::arg("cost"),
          "Put down that a cost was reached now, which renews the patience.")
      .def_prop_ro("trace", &Clock::trace, "(seconds since the start, cost) of every improvement.");

  module.def(
      "random_numbers",
      [](std::uint64_t seed, std::int64_t count, std::int64_t below) {
        Random random(seed);
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
        for (auto& each : numbers) each = random.below(below);
        return as_array(std::move(numbers));
      },
      nb::arg("seed"), nb::arg("count"), nb::arg("below"), "Numbers from 0 to below − 1, as searches draw them.");

  module.def(
      "portable_values",
      [](const In<double>& values) {
        std::vector<double> table;
        for (const double each : as_span(values)) {
          table.insert(table.end(), {portable_exp(each), portable_log1p(each), portable_erfc(each)});
        }
        return as_table(std::move(table), values.size(), 3);
      },
      nb::arg("values"), "exp, log1p and erfc of each value, [num_values, 3], as the core computes them.");
}

}  // namespace annealco

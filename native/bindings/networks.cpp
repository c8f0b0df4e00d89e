#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "models/field_gradient.hpp"
#include "models/normal_tail.hpp"

namespace annealco {

namespace {

using Features = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Logits = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// An energy over arrays that Python made, which live as long as this does.
struct PythonEnergy {
  FieldEnergy energy;
  std::vector<nb::ndarray<>> arrays;
};

PythonEnergy* make_energy(const In<float>& linear, const In<std::int64_t>& pair_start,
                          const In<std::int32_t>& pair_index, const In<float>& pair_value, const In<float>& all_pairs,
                          const In<std::int32_t>& descending, const In<std::int64_t>& set_offsets,
                          const In<std::int32_t>& set_members, const In<std::int64_t>& set_of_start,
                          const In<std::int32_t>& set_of, const In<float>& cover, const In<std::int64_t>& set_start,
                          const InTable<double>& range_weight, const InTable<double>& range_lower,
                          const InTable<double>& range_upper, const InTable<double>& range,
                          const In<std::int64_t>& range_method) {
  auto made = std::make_unique<PythonEnergy>();
  FieldEnergy& energy = made->energy;
  energy.linear = as_span(linear);
  energy.pairs = as_rows(pair_start, pair_index);
  energy.pair_value = as_span(pair_value);
  energy.all_pairs = as_span(all_pairs);
  energy.descending = as_span(descending);
  energy.sets = as_rows(set_offsets, set_members);
  energy.sets_of = as_rows(set_of_start, set_of);
  energy.cover = as_span(cover);
  energy.set_start = as_span(set_start);
  const auto num_ranges = range_weight.shape(0);
  require(range_lower.shape(0) == num_ranges && range_upper.shape(0) == num_ranges && range.shape(0) == num_ranges &&
              range_method.size() == num_ranges,
          "ranges do not fit");
  for (std::size_t r = 0; r < num_ranges; ++r) {
    const auto row = [r](const auto& table) { return as_span(table).subspan(r * table.shape(1), table.shape(1)); };
    energy.ranges.push_back({row(range_weight), row(range_lower), row(range_upper), row(range),
                             static_cast<RangeMethod>(range_method.data()[r])});
  }
  made->arrays = {nb::ndarray<>(linear),       nb::ndarray<>(pair_start),  nb::ndarray<>(pair_index),
                  nb::ndarray<>(pair_value),   nb::ndarray<>(all_pairs),   nb::ndarray<>(descending),
                  nb::ndarray<>(set_offsets),  nb::ndarray<>(set_members), nb::ndarray<>(set_of_start),
                  nb::ndarray<>(set_of),       nb::ndarray<>(cover),       nb::ndarray<>(set_start),
                  nb::ndarray<>(range_weight), nb::ndarray<>(range_lower), nb::ndarray<>(range_upper),
                  nb::ndarray<>(range),        nb::ndarray<>(range_method)};
  return made.release();
}

struct PythonSetting : FieldSetting {
  std::vector<nb::ndarray<>> arrays;
};

PythonSetting* make_setting(const In<std::int64_t>& node_start, const In<std::int64_t>& neighbour_start,
                            const In<std::int32_t>& neighbours, const InTable<float>& surroundings,
                            const In<float>& unit, const PythonEnergy& objective, const PythonEnergy& penalty) {
  auto made = std::make_unique<PythonSetting>();
  made->node_start = as_span(node_start);
  made->neighbours = as_rows(neighbour_start, neighbours);
  made->surroundings = as_span(surroundings);
  made->unit = as_span(unit);
  made->objective = objective.energy;
  made->penalty = penalty.energy;
  made->arrays = {nb::ndarray<>(node_start), nb::ndarray<>(neighbour_start), nb::ndarray<>(neighbours),
                  nb::ndarray<>(surroundings), nb::ndarray<>(unit)};
  for (const PythonEnergy* each : {&objective, &penalty}) {
    made->arrays.insert(made->arrays.end(), each->arrays.begin(), each->arrays.end());
  }
  unlocked([&] { made->check(); });
  return made.release();
}

}  // namespace

void bind_networks(nb::module_& module) {
  nb::class_<FieldWeights>(module, "FieldWeights", "The weights of a network `field`, packed for its recurrence.")
      .def(
          "__init__",
          [](FieldWeights* place, std::int64_t width, const InTable<float>& start, const In<float>& start_bias,
             const InTable<float>& messages, const InTable<float>& signals, const In<float>& bias,
             const InTable<float>& recurrent, const In<float>& read, const In<float>& read_bias, bool must_be_finite) {
            new (place)
                FieldWeights(width, as_span(start), as_span(start_bias), as_span(messages), as_span(signals),
                             as_span(bias), as_span(recurrent), as_span(read), as_span(read_bias), must_be_finite);
          },
          nb::kw_only(), nb::arg("width"), nb::arg("start"), nb::arg("start_bias"), nb::arg("messages"),
          nb::arg("signals"), nb::arg("bias"), nb::arg("recurrent"), nb::arg("read"), nb::arg("read_bias"),
          nb::arg("must_be_finite") = true);

  nb::class_<PythonEnergy>(module, "FieldEnergy", "Terms whose field a network reads, as flat arrays.")
      .def(nb::new_(&make_energy), nb::kw_only(), nb::arg("linear"), nb::arg("pair_start"), nb::arg("pair_index"),
           nb::arg("pair_value"), nb::arg("all_pairs"), nb::arg("descending"), nb::arg("set_offsets"),
           nb::arg("set_members"), nb::arg("set_of_start"), nb::arg("set_of"), nb::arg("cover"), nb::arg("set_start"),
           nb::arg("range_weight"), nb::arg("range_lower"), nb::arg("range_upper"), nb::arg("range"),
           nb::arg("range_method"));

  nb::class_<PythonSetting>(module, "FieldSetting", "What is fixed while networks run on a batch of graphs.")
      .def(nb::new_(&make_setting), nb::kw_only(), nb::arg("node_start"), nb::arg("neighbour_start"),
           nb::arg("neighbours"), nb::arg("surroundings"), nb::arg("unit"), nb::arg("objective"), nb::arg("penalty"));

  nb::class_<FieldRecurrence>(module, "FieldRecurrence", "States of all restarts on a batch of graphs.")
      .def(
          "__init__",
          [](FieldRecurrence* place, const std::vector<std::shared_ptr<FieldWeights>>& weights,
             const In<std::int32_t>& weights_of, const PythonSetting& setting, std::int64_t num_restarts,
             std::int64_t most_lanes) {
            for (const auto& each : weights) require(each != nullptr, "weights must not be None");
            new (place) FieldRecurrence(weights, as_span(weights_of), setting, num_restarts, most_lanes);
          },
          nb::arg("weights"), nb::arg("weights_of"), nb::arg("setting"), nb::kw_only(), nb::arg("num_restarts"),
          nb::arg("most_lanes") = 16, nb::keep_alive<1, 4>(),
          "Graph number i has the weights number weights_of[i]. Vectors have at most so many lanes, which changes no "
          "result.")
      .def(
          "begin",
          [](FieldRecurrence& recurrence, const Features& features, const std::optional<InTable<bool>>& fresh,
             std::int64_t num_threads) {
            require(num_threads >= 1, "at least one thread");
            unlocked([&] {
              recurrence.begin(as_span(features), fresh ? as_span(*fresh) : std::span<const bool>(), num_threads);
            });
          },
          nb::arg("features"), nb::arg("fresh") = nb::none(), nb::kw_only(), nb::arg("num_threads") = 1,
          "Let all restarts of nodes, or those in fresh [num_nodes, num_restarts], start from features "
          "[num_nodes, num_restarts, 4].")
      .def(
          "select",
          [](FieldRecurrence& recurrence, const InTable<bool>& keeps, const InTable<std::int32_t>& parent,
             std::int64_t num_threads) {
            require(num_threads >= 1, "at least one thread");
            unlocked([&] { recurrence.select(as_span(keeps), as_span(parent), num_threads); });
          },
          nb::arg("keeps"), nb::arg("parent"), nb::kw_only(), nb::arg("num_threads") = 1,
          "Keep the states of the restarts in keeps [num_graphs, num_restarts], then let each restart go on from what "
          "its parent [num_graphs, num_restarts] has kept of the graph, or where that is -1 from its own state.")
      .def(
          "run",
          [](FieldRecurrence& recurrence, std::int64_t num_steps, const InOutTable<float>& logits, Clock& clock,
             std::int64_t num_threads) {
            require(num_threads >= 1, "at least one thread");
            unlocked([&] { recurrence.run(num_steps, as_span(logits), clock, num_threads); });
          },
          nb::arg("num_steps"), nb::arg("logits"), nb::arg("clock"), nb::kw_only(), nb::arg("num_threads") = 1,
          "Make steps, at least one and none once the clock is over, and fill in logits [num_restarts, num_nodes].");

  nb::class_<FieldTape>(module, "FieldTape", "A run of a network on a batch of graphs that can be differentiated.")
      .def(nb::new_([](const std::shared_ptr<FieldWeights>& weights, const PythonSetting& setting,
                       const Features& features, const Logits& logits, std::int64_t num_steps, std::int64_t num_threads,
                       std::int64_t most_lanes) {
             require(weights != nullptr, "weights must not be None");
             require(num_threads >= 1, "at least one thread");
             return unlocked([&] {
               return std::make_unique<FieldTape>(weights, setting, as_span(features), features.shape(1),
                                                  as_span(logits), num_steps, num_threads, most_lanes)
                   .release();
             });
           }),
           nb::arg("weights"), nb::arg("setting"), nb::arg("features"), nb::arg("logits"), nb::kw_only(),
           nb::arg("num_steps"), nb::arg("num_threads") = 1, nb::arg("most_lanes") = 16, nb::keep_alive<0, 3>(),
           "Make steps from features [num_nodes, num_samples, 4], and fill in the logits after the last of them, "
           "[num_kept, num_nodes, num_samples]. Vectors have at most so many lanes, which changes no result.")
      .def(
          "backward",
          [](const FieldTape& tape, const Features& features, const Features& gradient, const InOutTable<float>& start,
             const InOut<float>& start_bias, const InOutTable<float>& messages, const InOutTable<float>& signals,
             const InOut<float>& bias, const InOutTable<float>& recurrent, const InOut<float>& read,
             const InOut<float>& read_bias, std::int64_t num_threads) {
            require(num_threads >= 1, "at least one thread");
            const FieldGradients result{as_span(start), as_span(start_bias), as_span(messages), as_span(signals),
                                        as_span(bias),  as_span(recurrent),  as_span(read),     as_span(read_bias)};
            unlocked([&] { tape.backward(as_span(features), as_span(gradient), result, num_threads); });
          },
          nb::arg("features"), nb::arg("gradient"), nb::kw_only(), nb::arg("start"), nb::arg("start_bias"),
          nb::arg("messages"), nb::arg("signals"), nb::arg("bias"), nb::arg("recurrent"), nb::arg("read"),
          nb::arg("read_bias"), nb::arg("num_threads") = 1,
          "Fill in the gradients by the weights, from those by the logits, of a run that began with these features.");

  module.def(
      "normal_tail",
      [](const In<double>& z) {
        std::vector<double> mass(z.size()), density(z.size());
        for (std::size_t k = 0; k < z.size(); ++k) {
          const NormalTail tail = normal_tail(z.data()[k]);
          mass[k] = tail.mass;
          density[k] = tail.density;
        }
        return std::make_pair(as_array(std::move(mass)), as_array(std::move(density)));
      },
      nb::arg("z"), "Return P(N > z) and the density at z ≥ 0 of a standard normal variable N.");
}

}  // namespace annealco

/// The recurrence of the network `field`, in single precision, many restarts of a graph together.
///
/// A node has a state h [width] and a logit v·h + b, and so a probability φ. At every step it hears the mean of its
/// neighbours' states and the sum of φ times them, sees the energy's field, and a gated recurrent unit makes the next
/// state; `annealco.models.field` states the formulas. Torch computes the same for training and on other devices.
///
/// Layout. Graphs and restarts do not meet, so every graph runs all its steps for a block of at most `kRows` restarts
/// before the next block begins: the states of a block stay in the cache. Inside of a block a row is one restart of one
/// node, and states are stored in planes of `kPlane` numbers, [plane, node, restart, kPlane]: the same plane of all
/// restarts of a neighbour is contiguous. A tile of `kRows` rows is heard, multiplied by the weights and put through
/// the gates before the next, so that nothing between two states is written to memory.
///
/// Sums have an order of their own, so all machines give the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/wide_vectors.hpp"
#include "models/field_energy.hpp"
#include "models/single_precision.hpp"

namespace annealco {

/// What a step reads off Q, what never changes about a node, and the random numbers that it starts from.
constexpr std::size_t kNumSignals = 5, kNumSurroundings = 6, kNumFeatures = 4;

/// Numbers in a plane of states, and rows in a tile.
constexpr std::size_t kPlane = 16, kRows = 8;

/// Graphs with more nodes run their restarts one by one: states of several would not stay in the cache. At 5,000 nodes
/// that takes 6 % less time, at 100,000 a quarter less.
constexpr std::int64_t kLargeGraph = 4096;

/// Weights, packed plane by plane: with the width rounded up to planes, columns and rows beyond it are 0.
///
/// For each plane of the next state, `inputs` has a line per input with 3 · kPlane numbers: what the input adds to the
/// gates r, z and c. Inputs are the two messages, the signals with the surroundings, and the state, whose part in c is
/// kept apart from the others' since the gate r scales it.
class FieldWeights {
 public:
  FieldWeights(std::int64_t width, std::span<const float> start, std::span<const float> start_bias,
               std::span<const float> messages, std::span<const float> signals, std::span<const float> bias,
               std::span<const float> recurrent, std::span<const float> read, std::span<const float> read_bias,
               bool must_be_finite)
      : width_(static_cast<std::size_t>(width)) {
    constexpr std::int64_t kWidest = 1 << 16;
    require(width >= 1 && width <= kWidest, "the width must be from 1 to 65536");
    const auto check = [&](std::span<const float> values, std::size_t count, const char* name) {
      require(values.size() == count, name, "wrong number of weights");
      require(!must_be_finite || std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }),
              name, "weights must be finite");
    };
    check(start, width_ * kNumStart, "start");
    check(start_bias, width_, "start_bias");
    check(messages, 3 * width_ * 2 * width_, "messages");
    check(signals, 3 * width_ * kNumSeen, "signals");
    check(bias, 3 * width_, "bias");
    check(recurrent, 3 * width_ * width_, "recurrent");
    check(read, width_, "read");
    check(read_bias, 1, "read_bias");
    read_bias_ = read_bias[0];
    planes_ = (width_ + kPlane - 1) / kPlane;
    inputs_.resize(planes_ * num_inputs() * 3);
    bias_.resize(planes_ * 3);
    start_.resize(planes_ * (kNumStart + 1));
    read_.resize(planes_);
    for (std::size_t out = 0; out < width_; ++out)
      pack(out, start, start_bias, messages, signals, bias, recurrent, read);
  }

  std::size_t width() const { return width_; }
  std::size_t planes() const { return planes_; }
  std::size_t padded() const { return planes_ * kPlane; }

  /// Inputs in their order: the state, the mean of the neighbours, the sum by φ, signals, surroundings.
  std::size_t num_inputs() const { return 3 * padded() + kNumSeen; }
  const float* inputs(std::size_t plane) const { return inputs_[plane * num_inputs() * 3].value.data(); }
  const float* bias(std::size_t plane) const { return bias_[plane * 3].value.data(); }

  /// A line of `kPlane` numbers for each feature and surrounding, then the bias.
  const float* start(std::size_t plane) const { return start_[plane * (kNumStart + 1)].value.data(); }
  const float* read(std::size_t plane) const { return read_[plane].value.data(); }
  float read_bias() const { return read_bias_; }

 private:
  static constexpr std::size_t kNumStart = kNumFeatures + kNumSurroundings, kNumSeen = kNumSignals + kNumSurroundings;

  void pack(std::size_t out, std::span<const float> start, std::span<const float> start_bias,
            std::span<const float> messages, std::span<const float> signals, std::span<const float> bias,
            std::span<const float> recurrent, std::span<const float> read) {
    const std::size_t plane = out / kPlane, lane = out % kPlane;
    for (std::size_t gate = 0; gate < 3; ++gate) {
      const std::size_t row = gate * width_ + out;
      const auto at = [&](std::size_t input) -> float& {
        return inputs_[(plane * num_inputs() + input) * 3 + gate].value[lane];
      };
      for (std::size_t k = 0; k < width_; ++k) {
        at(k) = recurrent[row * width_ + k];
        at(padded() + k) = messages[row * 2 * width_ + k];
        at(2 * padded() + k) = messages[row * 2 * width_ + width_ + k];
      }
      for (std::size_t k = 0; k < kNumSeen; ++k) at(3 * padded() + k) = signals[row * kNumSeen + k];
      bias_[plane * 3 + gate].value[lane] = bias[row];
    }
    for (std::size_t k = 0; k < kNumStart; ++k) {
      start_[plane * (kNumStart + 1) + k].value[lane] = start[out * kNumStart + k];
    }
    start_[plane * (kNumStart + 1) + kNumStart].value[lane] = start_bias[out];
    read_[plane].value[lane] = read[out];
  }

  std::size_t width_, planes_ = 0;
  float read_bias_ = 0.0F;
  AlignedFloats inputs_, bias_, start_, read_;
};

/// What is fixed while networks run on a batch of graphs.
struct FieldSetting {
  std::span<const std::int64_t> node_start;  ///< [num_graphs + 1]
  Rows neighbours;                           ///< of each node on the sparser side of its graph
  std::span<const float> surroundings;       ///< [num_nodes, kNumSurroundings]
  std::span<const float> unit;               ///< [num_nodes] one over the scale of a node's field
  FieldEnergy objective, penalty;

  std::int64_t num_graphs() const { return static_cast<std::int64_t>(node_start.size()) - 1; }
  std::size_t num_nodes() const { return unit.size(); }
  std::int64_t size_of(std::int64_t graph) const {
    return node_start[static_cast<std::size_t>(graph) + 1] - node_start[static_cast<std::size_t>(graph)];
  }

  /// Check sizes and ranges, which all that follows trusts; O(size).
  void check() const {
    const auto size = static_cast<std::int64_t>(num_nodes());
    require(!node_start.empty() && node_start[0] == 0 && node_start.back() == size, "node offsets do not fit");
    require(std::is_sorted(node_start.begin(), node_start.end()), "node offsets must not fall");
    check_rows(neighbours, size, "neighbours");
    require(neighbours.size() == size, "neighbours: one row per node");
    require(surroundings.size() == num_nodes() * kNumSurroundings, "surroundings: six numbers per node");
    for (std::int64_t graph = 0; graph < num_graphs(); ++graph) {
      const auto first = node_start[static_cast<std::size_t>(graph)];
      const auto last = node_start[static_cast<std::size_t>(graph) + 1];
      for (auto k = neighbours.start[static_cast<std::size_t>(first)];
           k < neighbours.start[static_cast<std::size_t>(last)]; ++k) {
        const auto other = neighbours.index[static_cast<std::size_t>(k)];
        require(other >= first && other < last, "neighbours must be of one graph");
      }
    }
    objective.check(node_start);
    penalty.check(node_start);
  }
};

/// A block of restarts on a graph. Its states are lines [planes, stride], in memory of the caller.
struct FieldBlock {
  FieldBlock(const FieldWeights& its_weights, const FieldSetting& its_setting, std::int64_t its_graph,
             std::size_t num_restarts)
      : weights(&its_weights),
        setting(&its_setting),
        graph(its_graph),
        first(static_cast<std::size_t>(setting->node_start[static_cast<std::size_t>(graph)])),
        nodes(static_cast<std::size_t>(setting->node_start[static_cast<std::size_t>(graph) + 1]) - first),
        restarts(num_restarts),
        rows(nodes * restarts),
        stride((rows + kRows - 1) / kRows * kRows) {}

  std::size_t num_lines() const { return weights->planes() * stride; }
  const float* surroundings(std::size_t node) const {
    return setting->surroundings.data() + (first + node) * kNumSurroundings;
  }

  /// Make the states of rows, those that `is_fresh` names, of their random numbers.
  template <class Features, class Fresh>
  void begin(Features&& features, Fresh&& is_fresh, FloatLine* states, std::int64_t most_lanes) const {
    with_wide_floats(most_lanes, [&](auto lanes) { begin_with<lanes>(features, is_fresh, states); });
  }

  const FieldWeights* weights;
  const FieldSetting* setting;
  std::int64_t graph;
  std::size_t first, nodes, restarts, rows, stride;

 private:
  template <int kLanes, class Features, class Fresh>
  void begin_with(Features&& features, Fresh&& is_fresh, FloatLine* states) const {
    constexpr std::size_t kNumStart = kNumFeatures + kNumSurroundings;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t node = row / restarts, restart = row % restarts;
      if (!is_fresh(first + node, restart)) continue;
      std::array<float, kNumStart> given;
      const float *numbers = features(first + node, restart), *fixed = surroundings(node);
      std::copy(numbers, numbers + kNumFeatures, given.begin());
      std::copy(fixed, fixed + kNumSurroundings, given.begin() + kNumFeatures);
      for (std::size_t plane = 0; plane < weights->planes(); ++plane) {
        const float* line = weights->start(plane);
        std::array<float, kPlane> sum;
        std::copy(line + kNumStart * kPlane, line + (kNumStart + 1) * kPlane, sum.begin());
        for (std::size_t k = 0; k < kNumStart; ++k) {
          for (std::size_t lane = 0; lane < kPlane; ++lane) {
            sum[lane] = fused<kLanes>(given[k], line[k * kPlane + lane], sum[lane]);
          }
        }
        float* state = states[plane * stride + row].value.data();
        for (std::size_t lane = 0; lane < kPlane; ++lane) state[lane] = single_tanh<kLanes>(sum[lane]);
      }
    }
  }
};

/// Steps of a block of restarts, and the memory that they need along the way.
///
/// All is called from inside of `with_wide_floats`, which gives the number of lanes.
template <int kLanes>
class FieldSteps {
 public:
  using Tile = std::array<std::array<float, kPlane>, kRows>;

  /// Sums of a tile on their way into the gates.
  struct Gates {
    alignas(64) Tile reset, keep, candidate, recurrent;
  };

  explicit FieldSteps(const FieldBlock& block)
      : block_(&block),
        weights_(block.weights),
        logit_(block.stride),
        signals_(kNumSignals * block.stride),
        field_(block.rows),
        whole_(block.rows),
        unit_(block.rows),
        heard_(2 * weights_->planes() * kRows) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      unit_[row] = block.setting->unit[block.first + row / block.restarts];
    }
    // Of large graphs what nodes add to the gates would take more time to read than to compute.
    if (static_cast<std::int64_t>(block.nodes) <= kLargeGraph) see_surroundings();
  }

  std::span<const float> logits() const { return {logit_.data(), block_->rows}; }
  std::span<const float> signals() const { return signals_; }
  std::span<const float> unit() const { return unit_; }

  /// The field of the objective and the whole one, [rows], in units of the nodes.
  std::span<const float> field() const { return field_; }
  std::span<const float> whole() const { return whole_; }

  /// Take the logits of the states that the next step begins with from elsewhere.
  void set_logits(std::span<const float> logits) { std::copy(logits.begin(), logits.end(), logit_.begin()); }

  /// Compute the logits of states.
  void read_logits(const FloatLine* states) {
    for (std::size_t row = 0; row < block_->stride; ++row) {
      std::array<float, kPlane> sum{};
      for (std::size_t plane = 0; plane < weights_->planes(); ++plane) {
        const float *state = states[plane * block_->stride + row].value.data(), *read = weights_->read(plane);
        for (std::size_t lane = 0; lane < kPlane; ++lane) sum[lane] = fused<kLanes>(state[lane], read[lane], sum[lane]);
      }
      logit_[row] = sum_of_plane(sum.data()) + weights_->read_bias();
    }
  }

  /// Make the next states of all rows, and their logits; those of the states must be known.
  void make(const FloatLine* states, FloatLine* next) {
    read_signals();
    for (std::size_t row = 0; row < block_->rows; row += kRows) make_tile(row, states, next);
  }

  /// Fill in φ, and what a step sees of the energy, [kNumSignals, rows], from the logits.
  void read_signals() {
    constexpr float kMost = 5.0F, kLeastWhole = -2.0F;
    const std::size_t stride = block_->stride, count = block_->rows;
    float *chance = signals_.data(), *cut = chance + stride, *falling = cut + stride, *flat = falling + stride,
          *objective = flat + stride;
    for (std::size_t row = 0; row < count; ++row) chance[row] = single_sigmoid<kLanes>(logit_[row]);
    const FieldPoint point{block_->graph,    block_->first,          block_->nodes,
                           block_->restarts, {logit_.data(), count}, {chance, count}};
    block_->setting->objective.template field<kLanes>(point, field_, scratch_);
    block_->setting->penalty.template field<kLanes>(point, whole_, scratch_);
    // One array is written at a time: compilers need not ask whether others overlap.
    const float* unit = unit_.data();
    float *field = field_.data(), *whole = whole_.data();
    for (std::size_t row = 0; row < count; ++row) field[row] *= unit[row];
    for (std::size_t row = 0; row < count; ++row) whole[row] = fused<kLanes>(whole[row], unit[row], field[row]);
    for (std::size_t row = 0; row < count; ++row) cut[row] = clamp(whole[row], -kMost, kMost);
    for (std::size_t row = 0; row < count; ++row) {
      const float limited = whole[row] < kLeastWhole ? kLeastWhole : whole[row];
      falling[row] = single_exp<kLanes>(-limited);
    }
    for (std::size_t row = 0; row < count; ++row) flat[row] = single_asinh(whole[row]);
    for (std::size_t row = 0; row < count; ++row) objective[row] = clamp(field[row], -kMost, kMost);
  }

  /// Hear the neighbours of a tile's rows: lines [2 · planes, kRows], means first.
  const FloatLine* hear_tile(std::size_t row, const FloatLine* states) {
    const std::size_t count = std::min(kRows, block_->rows - row);
    float* heard = heard_[0].value.data();
    if (block_->restarts == kRows) {
      // Of half of the rows at once, sums fit into registers.
      hear<kRows / 2>(row, states, heard);
      hear<kRows / 2>(row + kRows / 2, states, heard + kRows / 2 * kPlane);
    } else {
      for (std::size_t each = 0; each < count; ++each) hear<1>(row + each, states, heard + each * kPlane);
    }
    return heard_.data();
  }

  /// Add up what comes into the gates of one plane of a tile that has been heard.
  void sum_gates(std::size_t plane, std::size_t row, const FloatLine* states, Gates& gates) const {
    for (std::size_t part = 0; part < kPlane; part += kLanes) {
      // Wide machines have registers for the sums of all rows, others for half of them.
      constexpr std::size_t kSome = kLanes == 16 ? kRows : kRows / 2;
      for (std::size_t some = 0; some < kRows; some += kSome) multiply<kSome>(plane, part, row, some, states, gates);
    }
  }

  /// One over the number of neighbours of a node.
  float share(std::size_t node) const {
    const auto count = block_->setting->neighbours.length(static_cast<std::int64_t>(block_->first + node));
    return 1.0F / static_cast<float>(std::max<std::int64_t>(1, count));
  }

  /// Add up the 16 numbers of a plane in pairs.
  static float sum_of_plane(const float* plane) {
    std::array<float, 8> sum;
    for (std::size_t i = 0; i < 8; ++i) sum[i] = plane[i] + plane[i + 8];
    for (std::size_t i = 0; i < 4; ++i) sum[i] += sum[i + 4];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }

 private:
  /// Fill in what nodes add to the gates at every step, lines [nodes, planes, 3].
  void see_surroundings() {
    const std::size_t seen = 3 * weights_->padded() + kNumSignals;
    fixed_.resize(block_->nodes * weights_->planes() * 3);
    for (std::size_t node = 0; node < block_->nodes; ++node) {
      const float* given = block_->surroundings(node);
      for (std::size_t plane = 0; plane < weights_->planes(); ++plane) {
        float* own = fixed_[(node * weights_->planes() + plane) * 3].value.data();
        const float *bias = weights_->bias(plane), *line = weights_->inputs(plane) + seen * 3 * kPlane;
        for (std::size_t k = 0; k < 3 * kPlane; ++k) own[k] = bias[k];
        for (std::size_t from = 0; from < kNumSurroundings; ++from, line += 3 * kPlane) {
          for (std::size_t k = 0; k < 3 * kPlane; ++k) own[k] = fused<kLanes>(given[from], line[k], own[k]);
        }
      }
    }
  }

  static float clamp(float value, float low, float high) {
    const float raised = value < low ? low : value;
    return raised > high ? high : raised;
  }

  /// Make the next states of the rows from `row` on, and their logits.
  void make_tile(std::size_t row, const FloatLine* states, FloatLine* next) {
    hear_tile(row, states);
    alignas(64) Tile read{};
    for (std::size_t plane = 0; plane < weights_->planes(); ++plane) make_plane(plane, row, states, next, read);
    for (std::size_t each = 0; each < kRows; ++each) {
      logit_[row + each] = sum_of_plane(read[each].data()) + weights_->read_bias();
    }
  }

  /// Write what rows from one on, all of the same node, hear: all vectors of their states.
  template <std::size_t kCount>
  void hear(std::size_t row, const FloatLine* states, float* heard) const {
    const std::size_t num_vectors = weights_->padded() / kLanes;
    std::size_t vector = 0;
    for (; vector + 2 <= num_vectors; vector += 2) hear_vectors<kCount, 2>(row, vector, states, heard);
    if (vector < num_vectors) hear_vectors<kCount, 1>(row, vector, states, heard);
  }

  /// The same for one or two vectors, which fit into registers and share the probabilities.
  template <std::size_t kCount, std::size_t kTogether>
  void hear_vectors(std::size_t row, std::size_t vector, const FloatLine* states, float* heard) const {
    constexpr std::size_t kParts = kPlane / kLanes;
    // Sums of one row are few: neighbours take turns, since each sum has to wait for its last addition.
    constexpr std::size_t kTurns = kCount == 1 ? 2 : 1;
    const std::size_t node = row / block_->restarts, restart = row % block_->restarts;
    const float* chance = signals_.data();
    std::array<const float*, kTogether> spoken;
    for (std::size_t v = 0; v < kTogether; ++v) {
      spoken[v] = states[(vector + v) / kParts * block_->stride].value.data() + (vector + v) % kParts * kLanes;
    }
    std::array<std::array<std::array<Floats<kLanes>, kCount>, kTogether>, kTurns> sum, weighted;
    unrolled<kTurns>([&](auto turn) {
      unrolled<kTogether>([&](auto v) {
        unrolled<kCount>([&](auto each) { sum[turn][v][each] = weighted[turn][v][each] = Floats<kLanes>{}; });
      });
    });
    const auto listen = [&](auto turn, std::int32_t other) {
      const std::size_t place = (static_cast<std::size_t>(other) - block_->first) * block_->restarts + restart;
      unrolled<kCount>([&](auto each) {
        const float factor = chance[place + each];
        unrolled<kTogether>([&](auto v) {
          const auto& state = floats_at<kLanes>(spoken[v] + (place + each) * kPlane);
          sum[turn][v][each] += state;
          add_product<kLanes>(weighted[turn][v][each], factor, state);
        });
      });
    };
    const auto others = block_->setting->neighbours[static_cast<std::int64_t>(block_->first + node)];
    std::size_t k = 0;
    for (; k + kTurns <= others.size(); k += kTurns) {
      unrolled<kTurns>([&](auto turn) { listen(turn, others[k + turn]); });
    }
    if (k < others.size()) listen(std::integral_constant<std::size_t, 0>{}, others[k]);
    const float mean = share(node);
    unrolled<kTogether>([&](auto v) {
      float* own = heard + (vector + v) / kParts * kRows * kPlane + (vector + v) % kParts * kLanes;
      unrolled<kCount>([&](auto each) {
        if constexpr (kTurns == 2) {
          sum[0][v][each] += sum[1][v][each];
          weighted[0][v][each] += weighted[1][v][each];
        }
        store<kLanes>(own + each * kPlane, mean * sum[0][v][each]);
        store<kLanes>(own + (weights_->planes() * kRows + each) * kPlane, weighted[0][v][each]);
      });
    });
  }

  /// Put a tile through the gates of one plane, write its next states, and add what they give to the logits.
  ///
  /// With E = exp(−keep) and F = exp(2 candidate) the next state is (E (F − 1) + h (F + 1)) / ((1 + E) (1 + F)).
  void make_plane(std::size_t plane, std::size_t row, const FloatLine* states, FloatLine* next, Tile& read) {
    Gates gates;
    sum_gates(plane, row, states, gates);
    const float* before = states[plane * block_->stride + row].value.data();
    float* after = next[plane * block_->stride + row].value.data();
    float *reset = gates.reset[0].data(), *keep = gates.keep[0].data(), *candidate = gates.candidate[0].data();
    const float* recurrent = gates.recurrent[0].data();
    // Past ±43 a gate is as good as open or closed, and the product of two such exponentials is finite.
    constexpr float kMost = 43.0F;
    // In loops of their own, so that a machine has several of the long chains of operations under way.
    for (std::size_t k = 0; k < kRows * kPlane; ++k) {
      candidate[k] = fused<kLanes>(single_sigmoid<kLanes>(reset[k]), recurrent[k], candidate[k]);
    }
    for (std::size_t k = 0; k < kRows * kPlane; ++k) keep[k] = single_exp<kLanes>(-keep[k], kMost);
    for (std::size_t k = 0; k < kRows * kPlane; ++k) candidate[k] = single_exp<kLanes>(2.0F * candidate[k], kMost);
    const float* weight = weights_->read(plane);
    for (std::size_t each = 0; each < kRows; ++each) {
      for (std::size_t lane = 0; lane < kPlane; ++lane) {
        const std::size_t k = each * kPlane + lane;
        const float sum = fused<kLanes>(keep[k], candidate[k] - 1.0F, before[k] * (candidate[k] + 1.0F));
        const float made = sum / ((1.0F + keep[k]) * (1.0F + candidate[k]));
        after[k] = made;
        read[each][lane] = fused<kLanes>(made, weight[lane], read[each][lane]);
      }
    }
  }

  /// Multiply inputs by weights: some rows, for the gates of some lanes of a plane.
  template <std::size_t kSome>
  void multiply(std::size_t plane, std::size_t part, std::size_t row, std::size_t some, const FloatLine* states,
                Gates& gates) const {
    const std::size_t stride = block_->stride;
    const float* line = weights_->inputs(plane) + part;
    std::array<Floats<kLanes>, kSome> reset, keep, candidate;
    // Add so many inputs of every row; `input` gives the address of a row's first, and they are so far apart.
    const auto add = [&](const float* begin, auto&& input, std::size_t count, std::size_t apart) {
      for (std::size_t k = 0; k < count; ++k, begin += 3 * kPlane) {
        const auto r = floats_at<kLanes>(begin), z = floats_at<kLanes>(begin + kPlane),
                   c = floats_at<kLanes>(begin + 2 * kPlane);
        unrolled<kSome>([&](auto each) {
          const float value = input(each)[k * apart];
          add_product<kLanes>(reset[each], value, r);
          add_product<kLanes>(keep[each], value, z);
          add_product<kLanes>(candidate[each], value, c);
        });
      }
    };
    const auto add_lines = [&](const FloatLine* lines) {
      const float* first = lines->value.data();
      add(line, [&](std::size_t each) { return first + each * kPlane; }, kPlane, 1);
      line += kPlane * 3 * kPlane;
    };
    std::array<std::size_t, kSome> node;
    for (std::size_t each = 0; each < kSome; ++each) {
      node[each] = std::min((row + some + each) / block_->restarts, block_->nodes - 1);
    }
    const bool is_fixed = !fixed_.empty();
    const auto fixed = [&](std::size_t each, std::size_t gate) -> const Floats<kLanes>& {
      const float* own =
          is_fixed ? fixed_[(node[each] * weights_->planes() + plane) * 3].value.data() : weights_->bias(plane);
      return floats_at<kLanes>(own + gate * kPlane + part);
    };
    unrolled<kSome>([&](auto each) {
      reset[each] = fixed(each, 0);
      keep[each] = fixed(each, 1);
      candidate[each] = fixed(each, 2);
    });
    if (!is_fixed) {
      const float* seen = line + (3 * weights_->padded() + kNumSignals) * 3 * kPlane;
      add(seen, [&](std::size_t each) { return block_->surroundings(node[each]); }, kNumSurroundings, 1);
    }
    // What the state adds to c is kept apart from the others' part, which waits in its place meanwhile.
    unrolled<kSome>([&](auto each) {
      store<kLanes>(gates.candidate[some + each].data() + part, candidate[each]);
      candidate[each] = Floats<kLanes>{};
    });
    for (std::size_t from = 0; from < weights_->planes(); ++from) add_lines(states + from * stride + row + some);
    unrolled<kSome>([&](auto each) {
      store<kLanes>(gates.recurrent[some + each].data() + part, candidate[each]);
      candidate[each] = floats_at<kLanes>(gates.candidate[some + each].data() + part);
    });
    for (std::size_t from = 0; from < 2 * weights_->planes(); ++from) add_lines(heard_.data() + from * kRows + some);
    add(line, [&](std::size_t each) { return signals_.data() + row + some + each; }, kNumSignals, stride);
    unrolled<kSome>([&](auto each) {
      store<kLanes>(gates.reset[some + each].data() + part, reset[each]);
      store<kLanes>(gates.keep[some + each].data() + part, keep[each]);
      store<kLanes>(gates.candidate[some + each].data() + part, candidate[each]);
    });
  }

  const FieldBlock* block_;
  const FieldWeights* weights_;
  std::vector<float> logit_, signals_, field_, whole_, unit_;
  AlignedFloats heard_, fixed_;
  FieldScratch scratch_;
};

/// Networks on a batch of graphs, each graph with the weights that are named for it, and the states of all restarts.
class FieldRecurrence {
 public:
  FieldRecurrence(std::vector<std::shared_ptr<FieldWeights>> weights, std::span<const std::int32_t> weights_of,
                  const FieldSetting& setting, std::int64_t num_restarts, std::int64_t most_lanes)
      : weights_(std::move(weights)),
        most_lanes_(most_lanes),
        num_nodes_(setting.num_nodes()),
        num_restarts_(static_cast<std::size_t>(num_restarts)) {
    constexpr std::int64_t kMostRestarts = 1 << 20;
    require(num_restarts >= 1 && num_restarts <= kMostRestarts, "restarts must be from 1 to 2^20");
    require(static_cast<std::int64_t>(weights_of.size()) == setting.num_graphs(), "one number of weights per graph");
    check_numbers(weights_of, static_cast<std::int64_t>(weights_.size()), "weights_of");
    for (std::int64_t graph = 0; graph < setting.num_graphs(); ++graph) {
      first_block_.push_back(blocks_.size());
      const auto which = static_cast<std::size_t>(weights_of[static_cast<std::size_t>(graph)]);
      const std::size_t together = setting.size_of(graph) > kLargeGraph ? 1 : kRows;
      for (std::size_t first = 0; first < num_restarts_; first += together) {
        blocks_.emplace_back(*weights_[which], setting, graph, std::min(together, num_restarts_ - first));
        states_.emplace_back(blocks_.back().num_lines());
        first_restart_.push_back(first);
      }
    }
    is_kept_.assign(first_block_.size() * num_restarts_, false);
    kept_.resize(states_.size());
  }

  std::size_t num_nodes() const { return num_nodes_; }
  std::size_t num_restarts() const { return num_restarts_; }
  std::size_t num_graphs() const { return first_block_.size(); }

  /// Let the restarts of nodes that `fresh` names, or all where it is empty, start from features.
  ///
  /// `features` is [num_nodes, num_restarts, kNumFeatures] and `fresh` [num_nodes, num_restarts].
  void begin(std::span<const float> features, std::span<const bool> fresh, std::int64_t num_threads) {
    require(features.size() == num_nodes_ * num_restarts_ * kNumFeatures,
            "features: four numbers per restart of a node");
    require(fresh.empty() || fresh.size() == num_nodes_ * num_restarts_, "fresh: a flag per restart of a node");
    parallel_for(static_cast<std::int64_t>(blocks_.size()), num_threads, [&](std::int64_t k) {
      const std::size_t first = first_restart_[static_cast<std::size_t>(k)];
      const auto place = [&](std::size_t node, std::size_t restart) { return node * num_restarts_ + first + restart; };
      blocks_[static_cast<std::size_t>(k)].begin(
          [&](std::size_t node, std::size_t restart) { return features.data() + place(node, restart) * kNumFeatures; },
          [&](std::size_t node, std::size_t restart) { return fresh.empty() || fresh[place(node, restart)]; },
          states_[static_cast<std::size_t>(k)].data(), most_lanes_);
    });
  }

  /// Keep the states of restarts in place of what these kept before, then let restarts go on from what one has kept.
  ///
  /// Both are [num_graphs, num_restarts]: whether a restart keeps its state of a graph, and the restart of the same
  /// graph whose kept state it takes, or −1 where it goes on from its own state of now.
  void select(std::span<const bool> keeps, std::span<const std::int32_t> parent, std::int64_t num_threads) {
    const std::size_t count = num_graphs() * num_restarts_;
    require(keeps.size() == count, "keeps: a flag per restart of a graph");
    require(parent.size() == count, "parent: a restart per restart of a graph");
    const auto most = static_cast<std::int32_t>(num_restarts_);
    require(std::all_of(parent.begin(), parent.end(), [&](auto other) { return other >= -1 && other < most; }),
            "parent must be -1 or a restart");
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t own = k / num_restarts_ * num_restarts_;
      const auto from = parent[k] < 0 ? k : own + static_cast<std::size_t>(parent[k]);
      require(parent[k] < 0 || is_kept_[from] || keeps[from], "parent must have kept a state");
    }
    const auto num_blocks = static_cast<std::int64_t>(blocks_.size());
    // All is kept before anything is taken: restarts of other blocks may be parents.
    parallel_for(num_blocks, num_threads, [&](std::int64_t k) { keep_of_block(static_cast<std::size_t>(k), keeps); });
    for (std::size_t k = 0; k < count; ++k) is_kept_[k] = is_kept_[k] || keeps[k];
    parallel_for(num_blocks, num_threads, [&](std::int64_t k) { take_in_block(static_cast<std::size_t>(k), parent); });
  }

  /// Make steps, and fill in the logits after the last, [num_restarts, num_nodes].
  void run(std::int64_t num_steps, std::span<float> logits, Clock& clock, std::int64_t num_threads) {
    require(num_steps >= 1, "at least one step");
    require(logits.size() == num_nodes_ * num_restarts_, "logits: a number per restart of a node");
    const auto caller = std::this_thread::get_id();
    const std::int64_t moves = clock.moves_left();
    parallel_for(static_cast<std::int64_t>(blocks_.size()), num_threads, [&](std::int64_t k) {
      const auto into = [&](Clock& own) { run_block(static_cast<std::size_t>(k), num_steps, own, logits); };
      if (std::this_thread::get_id() == caller) return into(clock);
      // A clock is one thread's own.
      Clock own(clock.seconds_left(), moves, clock.stop());
      into(own);
    });
  }

 private:
  /// Make steps of a block, at least one and no further once the clock is over, and fill in its logits.
  void run_block(std::size_t k, std::int64_t num_steps, Clock& clock, std::span<float> logits) {
    const FieldBlock& block = blocks_[k];
    AlignedFloats& states = states_[k];
    with_wide_floats(most_lanes_, [&](auto lanes) {
      AlignedFloats next(states.size());
      FieldSteps<lanes> steps(block);
      steps.read_logits(states.data());
      for (std::int64_t step = 0; step < num_steps; ++step) {
        if (!clock.tick() && step > 0) break;
        steps.make(states.data(), next.data());
        std::swap(states, next);
      }
      for (std::size_t restart = 0; restart < block.restarts; ++restart) {
        float* row = logits.data() + (first_restart_[k] + restart) * num_nodes_ + block.first;
        for (std::size_t node = 0; node < block.nodes; ++node) {
          row[node] = steps.logits()[node * block.restarts + restart];
        }
      }
    });
  }

  void keep_of_block(std::size_t k, std::span<const bool> keeps) {
    const FieldBlock& block = blocks_[k];
    const std::size_t first = place(block) + first_restart_[k];
    for (std::size_t restart = 0; restart < block.restarts; ++restart) {
      if (!keeps[first + restart]) continue;
      // What is never kept takes no memory.
      if (kept_[k].empty()) kept_[k].resize(block.num_lines());
      copy_restart(block, states_[k], restart, block, kept_[k], restart);
    }
  }

  void take_in_block(std::size_t k, std::span<const std::int32_t> parent) {
    const FieldBlock& block = blocks_[k];
    const std::size_t first = place(block) + first_restart_[k];
    for (std::size_t restart = 0; restart < block.restarts; ++restart) {
      if (parent[first + restart] < 0) continue;
      const auto from = static_cast<std::size_t>(parent[first + restart]);
      // Blocks of a graph hold equally many restarts, but for the last.
      const std::size_t together = blocks_[first_block_[static_cast<std::size_t>(block.graph)]].restarts;
      const std::size_t other = first_block_[static_cast<std::size_t>(block.graph)] + from / together;
      copy_restart(blocks_[other], kept_[other], from % together, block, states_[k], restart);
    }
  }

  /// The first place of a block's graph in what is [num_graphs, num_restarts].
  std::size_t place(const FieldBlock& block) const { return static_cast<std::size_t>(block.graph) * num_restarts_; }

  /// Copy the states of all nodes from a restart of one block to a restart of another block of the same graph.
  static void copy_restart(const FieldBlock& block, const AlignedFloats& states, std::size_t restart,
                           const FieldBlock& other, AlignedFloats& into, std::size_t into_restart) {
    for (std::size_t plane = 0; plane < block.weights->planes(); ++plane) {
      const FloatLine* from = states.data() + plane * block.stride + restart;
      FloatLine* to = into.data() + plane * other.stride + into_restart;
      for (std::size_t node = 0; node < block.nodes; ++node) to[node * other.restarts] = from[node * block.restarts];
    }
  }

  std::vector<std::shared_ptr<FieldWeights>> weights_;
  std::int64_t most_lanes_;
  std::size_t num_nodes_, num_restarts_;
  std::vector<FieldBlock> blocks_;
  std::vector<AlignedFloats> states_, kept_;
  std::vector<std::size_t> first_restart_, first_block_;
  std::vector<bool> is_kept_;
};

}  // namespace annealco

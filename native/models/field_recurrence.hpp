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
/// Sums have an order of their own and no product is fused with a sum, so all machines give the same bits.
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
               std::span<const float> recurrent, std::span<const float> read, float read_bias)
      : width_(static_cast<std::size_t>(width)), read_bias_(read_bias) {
    constexpr std::int64_t kWidest = 1 << 16;
    require(width >= 1 && width <= kWidest, "the width must be from 1 to 65536");
    check(start, width_ * kNumStart, "start");
    check(start_bias, width_, "start_bias");
    check(messages, 3 * width_ * 2 * width_, "messages");
    check(signals, 3 * width_ * kNumSeen, "signals");
    check(bias, 3 * width_, "bias");
    check(recurrent, 3 * width_ * width_, "recurrent");
    check(read, width_, "read");
    require(std::isfinite(read_bias), "read_bias: weights must be finite");
    planes_ = (width_ + kPlane - 1) / kPlane;
    inputs_.resize(planes_ * num_inputs() * 3);
    bias_.resize(planes_ * 3);
    start_.resize(planes_ * (kNumStart + 1));
    read_.resize(planes_);
    for (std::size_t out = 0; out < width_; ++out)
      pack(out, start, start_bias, messages, signals, bias, recurrent, read);
  }

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

  static void check(std::span<const float> values, std::size_t count, const char* name) {
    require(values.size() == count, name, "wrong number of weights");
    require(std::all_of(values.begin(), values.end(), [](float each) { return std::isfinite(each); }), name,
            "weights must be finite");
  }

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
  float read_bias_;
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

/// The states of a block of restarts on a graph, and the steps that change them.
class FieldBlock {
 public:
  FieldBlock(const FieldWeights& weights, const FieldSetting& setting, std::int64_t graph, std::size_t restarts)
      : weights_(&weights),
        setting_(&setting),
        graph_(graph),
        first_(static_cast<std::size_t>(setting.node_start[static_cast<std::size_t>(graph)])),
        nodes_(static_cast<std::size_t>(setting.node_start[static_cast<std::size_t>(graph) + 1]) - first_),
        restarts_(restarts),
        rows_(nodes_ * restarts),
        stride_((rows_ + kRows - 1) / kRows * kRows),
        state_(weights.planes() * stride_) {}

  std::size_t first_node() const { return first_; }
  std::size_t num_nodes() const { return nodes_; }
  std::size_t restarts() const { return restarts_; }

  /// Make the states of rows, those that `is_fresh` names, of their random numbers.
  template <class Features, class Fresh>
  void begin(Features&& features, Fresh&& is_fresh) {
    constexpr std::size_t kNumStart = kNumFeatures + kNumSurroundings;
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t node = first_ + row / restarts_, restart = row % restarts_;
      if (!is_fresh(node, restart)) continue;
      std::array<float, kNumStart> given;
      const float* numbers = features(node, restart);
      std::copy(numbers, numbers + kNumFeatures, given.begin());
      const float* fixed = setting_->surroundings.data() + node * kNumSurroundings;
      std::copy(fixed, fixed + kNumSurroundings, given.begin() + kNumFeatures);
      for (std::size_t plane = 0; plane < weights_->planes(); ++plane) {
        const float* line = weights_->start(plane);
        std::array<float, kPlane> sum;
        std::copy(line + kNumStart * kPlane, line + (kNumStart + 1) * kPlane, sum.begin());
        for (std::size_t k = 0; k < kNumStart; ++k) {
          for (std::size_t lane = 0; lane < kPlane; ++lane) sum[lane] += given[k] * line[k * kPlane + lane];
        }
        float* state = state_[plane * stride_ + row].value.data();
        for (std::size_t lane = 0; lane < kPlane; ++lane) state[lane] = single_tanh(sum[lane]);
      }
    }
  }

  /// Make steps, at least one and no further once the clock is over, and return the logits [num_nodes, restarts].
  std::span<const float> run(std::int64_t num_steps, Clock& clock) {
    return with_wide_floats([&](auto lanes) { return run_with<lanes>(num_steps, clock); });
  }

 private:
  template <int kLanes>
  std::span<const float> run_with(std::int64_t num_steps, Clock& clock) {
    next_.resize(state_.size());
    logit_.resize(stride_);
    signals_.resize(kNumSignals * stride_);
    field_.resize(rows_);
    whole_.resize(rows_);
    heard_.resize(2 * weights_->planes() * kRows);
    see_surroundings();
    read_logits();
    for (std::int64_t step = 0; step < num_steps; ++step) {
      if (!clock.tick() && step > 0) break;
      read_signals();
      for (std::size_t row = 0; row < rows_; row += kRows) make_tile<kLanes>(row);
      std::swap(state_, next_);
    }
    next_ = {};
    fixed_ = {};
    return {logit_.data(), rows_};
  }

  /// Fill in what never changes about the rows: their units, and what nodes add to the gates, [nodes, planes, 3].
  void see_surroundings() {
    unit_.resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row) unit_[row] = setting_->unit[first_ + row / restarts_];
    const std::size_t seen = 3 * weights_->padded() + kNumSignals;
    fixed_.resize(nodes_ * weights_->planes() * 3);
    for (std::size_t node = 0; node < nodes_; ++node) {
      const float* given = setting_->surroundings.data() + (first_ + node) * kNumSurroundings;
      for (std::size_t plane = 0; plane < weights_->planes(); ++plane) {
        float* own = fixed_[(node * weights_->planes() + plane) * 3].value.data();
        const float *bias = weights_->bias(plane), *line = weights_->inputs(plane) + seen * 3 * kPlane;
        for (std::size_t k = 0; k < 3 * kPlane; ++k) own[k] = bias[k];
        for (std::size_t from = 0; from < kNumSurroundings; ++from, line += 3 * kPlane) {
          for (std::size_t k = 0; k < 3 * kPlane; ++k) own[k] += given[from] * line[k];
        }
      }
    }
  }

  void read_logits() {
    for (std::size_t row = 0; row < stride_; ++row) {
      std::array<float, kPlane> sum{};
      for (std::size_t plane = 0; plane < weights_->planes(); ++plane) {
        const float *state = state_[plane * stride_ + row].value.data(), *read = weights_->read(plane);
        for (std::size_t lane = 0; lane < kPlane; ++lane) sum[lane] += state[lane] * read[lane];
      }
      logit_[row] = sum_of_plane(sum.data()) + weights_->read_bias();
    }
  }

  /// Fill in φ, and what a step sees of the energy, [kNumSignals, rows].
  void read_signals() {
    constexpr float kMost = 5.0F, kLeastWhole = -2.0F;
    float *chance = signals_.data(), *cut = chance + stride_, *falling = cut + stride_, *flat = falling + stride_,
          *objective = flat + stride_;
    for (std::size_t row = 0; row < rows_; ++row) chance[row] = single_sigmoid(logit_[row]);
    const FieldPoint point{graph_, first_, nodes_, restarts_, {logit_.data(), rows_}, {chance, rows_}};
    setting_->objective.field(point, field_, scratch_);
    setting_->penalty.field(point, whole_, scratch_);
    // One array is written at a time: compilers need not ask whether others overlap.
    const std::size_t count = rows_;
    const float* unit = unit_.data();
    float *field = field_.data(), *whole = whole_.data();
    for (std::size_t row = 0; row < count; ++row) field[row] *= unit[row];
    for (std::size_t row = 0; row < count; ++row) whole[row] = field[row] + whole[row] * unit[row];
    for (std::size_t row = 0; row < count; ++row) cut[row] = clamp(whole[row], -kMost, kMost);
    for (std::size_t row = 0; row < count; ++row) {
      const float limited = whole[row] < kLeastWhole ? kLeastWhole : whole[row];
      falling[row] = single_exp(-limited);
    }
    for (std::size_t row = 0; row < count; ++row) flat[row] = single_asinh(whole[row]);
    for (std::size_t row = 0; row < count; ++row) objective[row] = clamp(field[row], -kMost, kMost);
  }

  static float clamp(float value, float low, float high) {
    const float raised = value < low ? low : value;
    return raised > high ? high : raised;
  }

  /// Add up the 16 numbers of a plane in pairs.
  static float sum_of_plane(const float* plane) {
    std::array<float, 8> sum;
    for (std::size_t i = 0; i < 8; ++i) sum[i] = plane[i] + plane[i + 8];
    for (std::size_t i = 0; i < 4; ++i) sum[i] += sum[i + 4];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }

  /// Make the next states of the rows from `row` on, and their logits.
  template <int kLanes>
  void make_tile(std::size_t row) {
    const std::size_t count = std::min(kRows, rows_ - row);
    float* heard = heard_[0].value.data();
    std::array<const float*, kRows> fixed;
    for (std::size_t each = 0; each < kRows; ++each) {
      const std::size_t node = std::min(restarts_ == kRows ? row / kRows : (row + each) / restarts_, nodes_ - 1);
      fixed[each] = fixed_[node * weights_->planes() * 3].value.data();
    }
    if (restarts_ == kRows) {
      // Of half of the rows at once, sums fit into registers.
      hear<kLanes, kRows / 2>(row, heard);
      hear<kLanes, kRows / 2>(row + kRows / 2, heard + kRows / 2 * kPlane);
    } else {
      for (std::size_t each = 0; each < count; ++each) hear<kLanes, 1>(row + each, heard + each * kPlane);
    }
    alignas(64) std::array<std::array<float, kPlane>, kRows> read{};
    for (std::size_t plane = 0; plane < weights_->planes(); ++plane) make_plane<kLanes>(plane, row, fixed, read);
    for (std::size_t each = 0; each < kRows; ++each) {
      logit_[row + each] = sum_of_plane(read[each].data()) + weights_->read_bias();
    }
  }

  float share(std::size_t node) const {
    return 1.0F /
           static_cast<float>(std::max<std::int64_t>(1, setting_->neighbours.length(static_cast<std::int64_t>(node))));
  }

  /// Write what rows from one on, all of the same node, hear: all vectors of their states.
  template <int kLanes, std::size_t kCount>
  void hear(std::size_t row, float* heard) const {
    const std::size_t num_vectors = weights_->padded() / kLanes;
    std::size_t vector = 0;
    for (; vector + 2 <= num_vectors; vector += 2) hear_vectors<kLanes, kCount, 2>(row, vector, heard);
    if (vector < num_vectors) hear_vectors<kLanes, kCount, 1>(row, vector, heard);
  }

  /// The same for one or two vectors, which fit into registers and share the probabilities.
  template <int kLanes, std::size_t kCount, std::size_t kTogether>
  void hear_vectors(std::size_t row, std::size_t vector, float* heard) const {
    constexpr std::size_t kParts = kPlane / kLanes;
    const std::size_t node = row / restarts_, restart = row % restarts_;
    const float* chance = signals_.data();
    std::array<const float*, kTogether> states;
    for (std::size_t v = 0; v < kTogether; ++v) {
      states[v] = state_[(vector + v) / kParts * stride_].value.data() + (vector + v) % kParts * kLanes;
    }
    std::array<std::array<Floats<kLanes>, kCount>, kTogether> sum, weighted;
    for (std::size_t v = 0; v < kTogether; ++v) {
      for (std::size_t each = 0; each < kCount; ++each) sum[v][each] = weighted[v][each] = Floats<kLanes>{};
    }
    for (const auto other : setting_->neighbours[static_cast<std::int64_t>(first_ + node)]) {
      const std::size_t place = (static_cast<std::size_t>(other) - first_) * restarts_ + restart;
      for (std::size_t each = 0; each < kCount; ++each) {
        const float factor = chance[place + each];
        for (std::size_t v = 0; v < kTogether; ++v) {
          const auto& state = floats_at<kLanes>(states[v] + (place + each) * kPlane);
          sum[v][each] += state;
          weighted[v][each] += factor * state;
        }
      }
    }
    const float mean = share(first_ + node);
    for (std::size_t v = 0; v < kTogether; ++v) {
      float* own = heard + (vector + v) / kParts * kRows * kPlane + (vector + v) % kParts * kLanes;
      for (std::size_t each = 0; each < kCount; ++each) {
        store<kLanes>(own + each * kPlane, mean * sum[v][each]);
        store<kLanes>(own + (weights_->planes() * kRows + each) * kPlane, weighted[v][each]);
      }
    }
  }

  using Tile = std::array<std::array<float, kPlane>, kRows>;

  /// Sums of a tile on their way into the gates.
  struct Gates {
    alignas(64) Tile reset, keep, candidate, recurrent;
  };

  /// Put a tile through the gates of one plane, write its next states, and add what they give to the logits.
  template <int kLanes>
  void make_plane(std::size_t plane, std::size_t row, const std::array<const float*, kRows>& fixed, Tile& read) {
    Gates gates;
    for (std::size_t part = 0; part < kPlane; part += kLanes) {
      // Wide machines have registers for the sums of all rows, others for half of them.
      constexpr std::size_t kSome = kLanes == 16 ? kRows : kRows / 2;
      for (std::size_t some = 0; some < kRows; some += kSome)
        multiply<kLanes, kSome>(plane, part, row, some, fixed.data() + some, gates);
    }
    const float* before = state_[plane * stride_ + row].value.data();
    float* after = next_[plane * stride_ + row].value.data();
    float *reset = gates.reset[0].data(), *keep = gates.keep[0].data(), *candidate = gates.candidate[0].data();
    const float* recurrent = gates.recurrent[0].data();
    // In loops of their own, so that a machine has several of the long chains of operations under way.
    for (std::size_t k = 0; k < kRows * kPlane; ++k) candidate[k] += single_sigmoid(reset[k]) * recurrent[k];
    for (std::size_t k = 0; k < kRows * kPlane; ++k) keep[k] = single_sigmoid(keep[k]);
    for (std::size_t k = 0; k < kRows * kPlane; ++k) candidate[k] = single_tanh(candidate[k]);
    const float* weight = weights_->read(plane);
    for (std::size_t each = 0; each < kRows; ++each) {
      for (std::size_t lane = 0; lane < kPlane; ++lane) {
        const std::size_t k = each * kPlane + lane;
        const float made = candidate[k] + keep[k] * (before[k] - candidate[k]);
        after[k] = made;
        read[each][lane] += made * weight[lane];
      }
    }
  }

  /// Multiply inputs by weights: some rows, for the gates of some lanes of a plane.
  template <int kLanes, std::size_t kSome>
  void multiply(std::size_t plane, std::size_t part, std::size_t row, std::size_t some, const float* const* fixed_of,
                Gates& gates) const {
    const float* line = weights_->inputs(plane) + part;
    std::array<Floats<kLanes>, kSome> reset, keep, candidate;
    // Add inputs in lines of so many numbers a row, which are so far apart.
    const auto add = [&](const float* input, std::size_t count, std::size_t row_stride, std::size_t stride) {
      for (std::size_t k = 0; k < count; ++k, line += 3 * kPlane) {
        const auto r = floats_at<kLanes>(line), z = floats_at<kLanes>(line + kPlane),
                   c = floats_at<kLanes>(line + 2 * kPlane);
        for (std::size_t each = 0; each < kSome; ++each) {
          const float value = input[each * row_stride + k * stride];
          reset[each] += value * r;
          keep[each] += value * z;
          candidate[each] += value * c;
        }
      }
    };
    const auto fixed = [&](std::size_t each, std::size_t gate) -> const Floats<kLanes>& {
      return floats_at<kLanes>(fixed_of[each] + (plane * 3 + gate) * kPlane + part);
    };
    for (std::size_t each = 0; each < kSome; ++each) {
      reset[each] = fixed(each, 0);
      keep[each] = fixed(each, 1);
      candidate[each] = Floats<kLanes>{};
    }
    for (std::size_t from = 0; from < weights_->planes(); ++from) {
      add(state_[from * stride_ + row + some].value.data(), kPlane, kPlane, 1);
    }
    for (std::size_t each = 0; each < kSome; ++each) {
      store<kLanes>(gates.recurrent[some + each].data() + part, candidate[each]);
      candidate[each] = fixed(each, 2);
    }
    for (std::size_t from = 0; from < 2 * weights_->planes(); ++from) {
      add(heard_[from * kRows + some].value.data(), kPlane, kPlane, 1);
    }
    add(signals_.data() + row + some, kNumSignals, 1, stride_);
    for (std::size_t each = 0; each < kSome; ++each) {
      store<kLanes>(gates.reset[some + each].data() + part, reset[each]);
      store<kLanes>(gates.keep[some + each].data() + part, keep[each]);
      store<kLanes>(gates.candidate[some + each].data() + part, candidate[each]);
    }
  }

  const FieldWeights* weights_;
  const FieldSetting* setting_;
  std::int64_t graph_;
  std::size_t first_, nodes_, restarts_, rows_, stride_;
  AlignedFloats state_, next_, heard_, fixed_;  ///< lines [planes, stride]; rows beyond the last are never read
  std::vector<float> logit_, signals_, unit_, field_, whole_;
  FieldScratch scratch_;
};

/// Networks on a batch of graphs, each graph with the weights that are named for it, and the states of all restarts.
class FieldRecurrence {
 public:
  FieldRecurrence(std::vector<std::shared_ptr<FieldWeights>> weights, std::span<const std::int32_t> weights_of,
                  const FieldSetting& setting, std::int64_t num_restarts)
      : weights_(std::move(weights)),
        num_nodes_(setting.num_nodes()),
        num_restarts_(static_cast<std::size_t>(num_restarts)) {
    constexpr std::int64_t kMostRestarts = 1 << 20;
    require(num_restarts >= 1 && num_restarts <= kMostRestarts, "restarts must be from 1 to 2^20");
    require(static_cast<std::int64_t>(weights_of.size()) == setting.num_graphs(), "one number of weights per graph");
    check_numbers(weights_of, static_cast<std::int64_t>(weights_.size()), "weights_of");
    for (std::int64_t graph = 0; graph < setting.num_graphs(); ++graph) {
      const auto which = static_cast<std::size_t>(weights_of[static_cast<std::size_t>(graph)]);
      const std::size_t together = setting.size_of(graph) > kLargeGraph ? 1 : kRows;
      for (std::size_t first = 0; first < num_restarts_; first += together) {
        blocks_.emplace_back(*weights_[which], setting, graph, std::min(together, num_restarts_ - first));
        first_restart_.push_back(first);
      }
    }
  }

  std::size_t num_nodes() const { return num_nodes_; }
  std::size_t num_restarts() const { return num_restarts_; }

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
          [&](std::size_t node, std::size_t restart) { return fresh.empty() || fresh[place(node, restart)]; });
    });
  }

  /// Make steps, and fill in the logits after the last, [num_restarts, num_nodes].
  void run(std::int64_t num_steps, std::span<float> logits, Clock& clock, std::int64_t num_threads) {
    require(num_steps >= 1, "at least one step");
    require(logits.size() == num_nodes_ * num_restarts_, "logits: a number per restart of a node");
    const auto caller = std::this_thread::get_id();
    const std::int64_t moves = clock.moves_left();
    parallel_for(static_cast<std::int64_t>(blocks_.size()), num_threads, [&](std::int64_t k) {
      FieldBlock& block = blocks_[static_cast<std::size_t>(k)];
      const auto found = [&] {
        if (std::this_thread::get_id() == caller) return block.run(num_steps, clock);
        // A clock is one thread's own.
        Clock own(clock.seconds_left(), moves, clock.stop());
        return block.run(num_steps, own);
      }();
      for (std::size_t restart = 0; restart < block.restarts(); ++restart) {
        float* row = logits.data() + (first_restart_[static_cast<std::size_t>(k)] + restart) * num_nodes_;
        for (std::size_t node = 0; node < block.num_nodes(); ++node) {
          row[block.first_node() + node] = found[node * block.restarts() + restart];
        }
      }
    });
  }

 private:
  std::vector<std::shared_ptr<FieldWeights>> weights_;
  std::size_t num_nodes_, num_restarts_;
  std::vector<FieldBlock> blocks_;
  std::vector<std::size_t> first_restart_;
};

}  // namespace annealco

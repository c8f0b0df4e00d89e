/// Forward and backward of the recurrence of `field`, for training.
///
/// Forward keeps the states of every step with their logits, and nothing else. Backward goes from the last step to the
/// first: it computes what a step saw and its gates once more, tile by tile, which costs less than to write them and to
/// read them again, and sends gradients the way back:
///
///     gates      to what comes into them; their products with inputs are the gradients of the weights
///     messages   to the neighbours: each hears the gradients of those that heard it
///     signals    through the energy's field to probabilities, and so to logits and states
///
/// Sums of a block have an order of their own, and those of blocks are added in the order of the blocks: gradients
/// depend neither on the number of threads nor on the machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "models/field_recurrence.hpp"

namespace annealco {

/// Inputs of the gates beside states, in a line of their own: signals, surroundings, and 1 for the bias.
constexpr std::size_t kNumSeenInputs = kNumSignals + kNumSurroundings + 1;
static_assert(kNumSeenInputs <= kPlane);

/// The weights of a network turned round: from what comes into a gate to the inputs that it came from.
class TurnedWeights {
 public:
  explicit TurnedWeights(const FieldWeights& weights)
      : units_(3 * weights.padded()), states_(weights.planes() * units_ * 3), signals_(units_) {
    const std::size_t planes = weights.planes();
    for (std::size_t unit = 0; unit < units_; ++unit) {
      const std::size_t gate = unit / weights.padded(), from = unit % weights.padded() / kPlane, k = unit % kPlane;
      const auto weight = [&](std::size_t input) { return weights.inputs(from)[(input * 3 + gate) * kPlane + k]; };
      for (std::size_t plane = 0; plane < planes; ++plane) {
        for (std::size_t kind = 0; kind < 3; ++kind) {
          for (std::size_t lane = 0; lane < kPlane; ++lane) {
            states_[(plane * units_ + unit) * 3 + kind].value[lane] =
                weight(kind * weights.padded() + plane * kPlane + lane);
          }
        }
      }
      for (std::size_t k_signal = 0; k_signal < kNumSignals; ++k_signal) {
        signals_[unit].value[k_signal] = weight(3 * weights.padded() + k_signal);
      }
    }
  }

  /// Lines [units, 3]: to a plane of the state, of the mean of the neighbours, and of their sum by φ. Units are those
  /// of the gates r, z and c, one after the other.
  const float* states(std::size_t plane) const { return states_[plane * units_ * 3].value.data(); }

  /// A line per unit, to the signals.
  const float* signals() const { return signals_.data()->value.data(); }

 private:
  std::size_t units_;
  AlignedFloats states_, signals_;
};

/// Sums over rows and steps of the gradients by the weights.
struct FieldSums {
  explicit FieldSums(const FieldWeights& weights)
      : gates(weights.planes() * (3 * weights.padded() + kPlane) * 3),
        start(weights.planes() * kPlane),
        read(weights.planes()) {}

  void add(const FieldSums& other) {
    add_lines(gates, other.gates);
    add_lines(start, other.start);
    add_lines(read, other.read);
    read_bias += other.read_bias;
  }

  AlignedFloats gates;  ///< lines [planes, inputs, 3], by the gates r, z and c
  AlignedFloats start;  ///< lines [planes, kPlane]: features, surroundings, 1, and nothing
  AlignedFloats read;   ///< lines [planes]
  float read_bias = 0.0F;

 private:
  static void add_lines(AlignedFloats& sum, const AlignedFloats& other) {
    for (std::size_t k = 0; k < sum.size(); ++k) {
      for (std::size_t lane = 0; lane < kPlane; ++lane) sum[k].value[lane] += other[k].value[lane];
    }
  }
};

/// Where gradients by the weights are written, in the shapes that `FieldWeights` takes.
struct FieldGradients {
  std::span<float> start, start_bias, messages, signals, bias, recurrent, read, read_bias;

  void write(const FieldWeights& weights, const FieldSums& sums) const {
    const std::size_t width = weights.width(), padded = weights.padded(), inputs = 3 * padded + kPlane;
    constexpr std::size_t kNumStart = kNumFeatures + kNumSurroundings, kNumSeen = kNumSignals + kNumSurroundings;
    require(start.size() == width * kNumStart && start_bias.size() == width && messages.size() == 6 * width * width &&
                signals.size() == 3 * width * kNumSeen && bias.size() == 3 * width &&
                recurrent.size() == 3 * width * width && read.size() == width && read_bias.size() == 1,
            "gradients: wrong number of weights");
    for (std::size_t out = 0; out < width; ++out) {
      const std::size_t plane = out / kPlane, lane = out % kPlane;
      for (std::size_t gate = 0; gate < 3; ++gate) {
        const std::size_t row = gate * width + out;
        const auto at = [&](std::size_t input) { return sums.gates[(plane * inputs + input) * 3 + gate].value[lane]; };
        for (std::size_t k = 0; k < width; ++k) {
          recurrent[row * width + k] = at(k);
          messages[row * 2 * width + k] = at(padded + k);
          messages[row * 2 * width + width + k] = at(2 * padded + k);
        }
        for (std::size_t k = 0; k < kNumSeen; ++k) signals[row * kNumSeen + k] = at(3 * padded + k);
        bias[row] = at(3 * padded + kNumSeen);
      }
      for (std::size_t k = 0; k < kNumStart; ++k)
        start[out * kNumStart + k] = sums.start[plane * kPlane + k].value[lane];
      start_bias[out] = sums.start[plane * kPlane + kNumStart].value[lane];
      read[out] = sums.read[plane].value[lane];
    }
    read_bias[0] = sums.read_bias;
  }
};

/// The way back through all steps of a block; called from inside of `with_wide_floats`.
template <int kLanes>
class FieldBackward {
 public:
  FieldBackward(const FieldBlock& block, const TurnedWeights& turned, FieldSums& sums)
      : block_(&block),
        weights_(block.weights),
        turned_(&turned),
        sums_(&sums),
        steps_(block),
        planes_(weights_->planes()),
        after_(block.num_lines()),
        before_(block.num_lines()),
        spoken_(2 * block.num_lines()),
        inward_(kChunk * planes_ * kParts),
        heard_(2 * planes_ * kChunk),
        seen_(kChunk),
        to_logit_(block.stride),
        to_chance_(block.rows),
        to_signals_(kNumSignals * block.stride),
        to_objective_(block.rows),
        to_penalty_(block.rows) {}

  /// Add the gradients that come back from logits.
  ///
  /// `states` are lines [num_steps + 1, planes, stride] and `logits` those of all but the last, [num_steps, rows];
  /// `outward(step, to_logit)` adds the gradient by the logits
  /// after so many steps, [rows]; `features` are the numbers of a row that its state began with.
  template <class Outward, class Features>
  void run(const FloatLine* states, std::span<const float> logits, Outward&& outward, Features&& features) {
    const std::size_t lines = block_->num_lines(), count = block_->rows;
    for (std::size_t step = count == 0 ? 0 : logits.size() / count; step-- > 0;) {
      outward(step + 1, to_logit_);
      through_read(states + (step + 1) * lines);
      make(states + step * lines, logits.subspan(step * count, count));
    }
    through_read(states);
    through_start(states, features);
  }

 private:
  /// Rows whose products with inputs are summed before the sums are written, and lines of a row and plane: what comes
  /// into the gates r, z and c, and the last once more behind the gate r.
  static constexpr std::size_t kChunk = 32, kParts = 4;

  using Steps = FieldSteps<kLanes>;

  /// Send the gradient by logits to their states, and add up that by the weights of the logits.
  void through_read(const FloatLine* states) {
    const std::size_t count = block_->rows;
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      const float* weight = weights_->read(plane);
      std::array<float, kPlane> sum{};
      for (std::size_t row = 0; row < count; ++row) {
        const std::size_t line = plane * block_->stride + row;
        const float by = to_logit_[row], *state = states[line].value.data();
        float* own = after_[line].value.data();
        for (std::size_t lane = 0; lane < kPlane; ++lane) own[lane] = fused<kLanes>(by, weight[lane], own[lane]);
        for (std::size_t lane = 0; lane < kPlane; ++lane) sum[lane] = fused<kLanes>(by, state[lane], sum[lane]);
      }
      for (std::size_t lane = 0; lane < kPlane; ++lane) sums_->read[plane].value[lane] += sum[lane];
    }
    float total = 0.0F;
    for (std::size_t row = 0; row < count; ++row) total += to_logit_[row];
    sums_->read_bias += total;
  }

  /// Go back one step, from the gradients by its results in `after_` to those by the states that it began with.
  void make(const FloatLine* states, std::span<const float> logits) {
    steps_.set_logits(logits);
    steps_.read_signals();
    for (std::size_t first = 0; first < block_->rows; first += kChunk) {
      const std::size_t end = std::min(first + kChunk, block_->stride);
      for (std::size_t row = first; row < end; row += kRows) make_tile(row, row - first, states);
      add_weights(first, end - first, states);
    }
    if (block_->restarts == kRows) {
      for (std::size_t row = 0; row < block_->rows; row += kRows / 2) gather<kRows / 2>(row, states);
    } else {
      for (std::size_t row = 0; row < block_->rows; ++row) gather<1>(row, states);
    }
    through_signals();
    std::swap(after_, before_);
  }

  /// Go back through the gates of the rows of a tile, to their inputs.
  void make_tile(std::size_t row, std::size_t place, const FloatLine* states) {
    const FloatLine* heard = steps_.hear_tile(row, states);
    for (std::size_t plane = 0; plane < 2 * planes_; ++plane) {
      std::copy_n(heard + plane * kRows, kRows, heard_.begin() + static_cast<std::ptrdiff_t>(plane * kChunk + place));
    }
    for (std::size_t each = 0; each < kRows; ++each) {
      float* seen = seen_[place + each].value.data();
      const std::size_t node = std::min((row + each) / block_->restarts, block_->nodes - 1);
      for (std::size_t k = 0; k < kNumSignals; ++k) seen[k] = steps_.signals()[k * block_->stride + row + each];
      std::copy_n(block_->surroundings(node), kNumSurroundings, seen + kNumSignals);
      seen[kNumSeenInputs - 1] = 1.0F;
    }
    for (std::size_t plane = 0; plane < planes_; ++plane) through_gates(plane, row, place, states);
    for (std::size_t plane = 0; plane < planes_; ++plane) to_states(plane, row, place);
    to_signals(row, place);
  }

  void through_gates(std::size_t plane, std::size_t row, std::size_t place, const FloatLine* states) {
    typename Steps::Gates gates;
    steps_.sum_gates(plane, row, states, gates);
    constexpr std::size_t kCount = kRows * kPlane;
    const std::size_t line = plane * block_->stride + row;
    const float *state = states[line].value.data(), *by = after_[line].value.data();
    float *kept = before_[line].value.data(), *reset = gates.reset[0].data(), *keep = gates.keep[0].data(),
          *candidate = gates.candidate[0].data();
    const float* recurrent = gates.recurrent[0].data();
    for (std::size_t k = 0; k < kCount; ++k) reset[k] = single_sigmoid<kLanes>(reset[k]);
    for (std::size_t k = 0; k < kCount; ++k) keep[k] = single_sigmoid<kLanes>(keep[k]);
    for (std::size_t k = 0; k < kCount; ++k) {
      candidate[k] = single_tanh<kLanes>(fused<kLanes>(reset[k], recurrent[k], candidate[k]));
    }
    for (std::size_t k = 0; k < kCount; ++k) kept[k] = by[k] * keep[k];
    alignas(64) typename Steps::Tile past;
    float* behind = past[0].data();
    for (std::size_t k = 0; k < kCount; ++k) {
      // The slope of σ is σ (1 − σ), that of tanh 1 − tanh².
      const float changed = by[k] - kept[k];
      keep[k] = kept[k] * (1.0F - keep[k]) * (state[k] - candidate[k]);
      candidate[k] = changed * (1.0F - candidate[k] * candidate[k]);
      behind[k] = candidate[k] * reset[k];
      reset[k] = behind[k] * recurrent[k] * (1.0F - reset[k]);
    }
    for (std::size_t each = 0; each < kRows; ++each) {
      FloatLine* own = inward_.data() + ((place + each) * planes_ + plane) * kParts;
      own[0].value = gates.reset[each];
      own[1].value = gates.keep[each];
      own[2].value = gates.candidate[each];
      own[3].value = past[each];
    }
  }

  const float* inward(std::size_t place, std::size_t plane, std::size_t part) const {
    return inward_[(place * planes_ + plane) * kParts + part].value.data();
  }

  /// Rows whose sums a machine has registers for.
  static constexpr std::size_t kSome = kLanes == 16 ? kRows : kRows / 2;

  /// Send what comes into the gates to one plane of the states, and of what was heard.
  void to_states(std::size_t plane, std::size_t row, std::size_t place) {
    for (std::size_t part = 0; part < kPlane; part += kLanes) {
      for (std::size_t some = 0; some < kRows; some += kSome) {
        std::array<Floats<kLanes>, kSome> state, mean, weighted;
        unrolled<kSome>([&](auto each) { state[each] = mean[each] = weighted[each] = Floats<kLanes>{}; });
        const float* line = turned_->states(plane) + part;
        // What comes into the gate c reaches the state behind the gate r.
        const auto add = [&](std::size_t heard_part, std::size_t state_part) {
          for (std::size_t from = 0; from < planes_; ++from) {
            const float *heard = inward(place + some, from, heard_part), *own = inward(place + some, from, state_part);
            for (std::size_t k = 0; k < kPlane; ++k, line += 3 * kPlane) {
              const auto to_state = floats_at<kLanes>(line), to_mean = floats_at<kLanes>(line + kPlane),
                         to_weighted = floats_at<kLanes>(line + 2 * kPlane);
              unrolled<kSome>([&](auto each) {
                const std::size_t at = each * planes_ * kParts * kPlane + k;
                add_product<kLanes>(state[each], own[at], to_state);
                add_product<kLanes>(mean[each], heard[at], to_mean);
                add_product<kLanes>(weighted[each], heard[at], to_weighted);
              });
            }
          }
        };
        add(0, 0);
        add(1, 1);
        add(2, 3);
        unrolled<kSome>([&](auto each) {
          const std::size_t line_of = plane * block_->stride + row + some + each;
          float *own = before_[line_of].value.data() + part, *to_mean = spoken_[line_of].value.data() + part,
                *to_weighted = spoken_[block_->num_lines() + line_of].value.data() + part;
          Floats<kLanes> sum = floats_at<kLanes>(own);
          sum += state[each];
          store<kLanes>(own, sum);
          const std::size_t node = std::min((row + some + each) / block_->restarts, block_->nodes - 1);
          store<kLanes>(to_mean, steps_.share(node) * mean[each]);
          store<kLanes>(to_weighted, weighted[each]);
        });
      }
    }
  }

  /// Send what comes into the gates to the signals.
  void to_signals(std::size_t row, std::size_t place) {
    constexpr std::size_t kWide = kLanes < 8 ? 4 : 8;
    static_assert(kNumSignals <= 8);
    std::array<std::array<float, 8>, kRows> sums{};
    for (std::size_t part = 0; part < 8; part += kWide) {
      std::array<Floats<kWide>, kRows> sum;
      unrolled<kRows>([&](auto each) { sum[each] = Floats<kWide>{}; });
      const float* line = turned_->signals() + part;
      for (std::size_t gate = 0; gate < 3; ++gate) {
        for (std::size_t from = 0; from < planes_; ++from) {
          const float* given = inward(place, from, gate);
          for (std::size_t k = 0; k < kPlane; ++k, line += kPlane) {
            const auto to = floats_at<kWide>(line);
            unrolled<kRows>(
                [&](auto each) { add_product<kWide>(sum[each], given[each * planes_ * kParts * kPlane + k], to); });
          }
        }
      }
      unrolled<kRows>([&](auto each) { store<kWide>(sums[each].data() + part, sum[each]); });
    }
    for (std::size_t each = 0; each < kRows; ++each) {
      for (std::size_t k = 0; k < kNumSignals; ++k) to_signals_[k * block_->stride + row + each] = sums[each][k];
    }
  }

  /// Add the products of inputs of some rows with what came into the gates.
  void add_weights(std::size_t first, std::size_t count, const FloatLine* states) {
    const std::size_t inputs = 3 * weights_->padded() + kPlane;
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      FloatLine* sum = sums_->gates.data() + plane * inputs * 3;
      for (std::size_t from = 0; from < planes_; ++from, sum += kPlane * 3) {
        add_outer(plane, 3, states + from * block_->stride + first, count, sum);
      }
      for (std::size_t from = 0; from < 2 * planes_; ++from, sum += kPlane * 3) {
        add_outer(plane, 2, heard_.data() + from * kChunk, count, sum);
      }
      add_outer(plane, 2, seen_.data(), count, sum);
    }
  }

  /// The same for inputs in lines, one per row; `part` is what comes into the gate c from them.
  void add_outer(std::size_t plane, std::size_t part, const FloatLine* input, std::size_t count, FloatLine* sums) {
    constexpr std::size_t kTogether = kLanes == 16 ? 8 : 4;
    for (std::size_t lane = 0; lane < kPlane; lane += kLanes) {
      for (std::size_t k = 0; k < kPlane; k += kTogether) {
        std::array<Floats<kLanes>, kTogether> reset, keep, candidate;
        const auto place = [&](std::size_t i, std::size_t gate) {
          return sums[(k + i) * 3 + gate].value.data() + lane;
        };
        unrolled<kTogether>([&](auto i) {
          reset[i] = floats_at<kLanes>(place(i, 0));
          keep[i] = floats_at<kLanes>(place(i, 1));
          candidate[i] = floats_at<kLanes>(place(i, 2));
        });
        for (std::size_t row = 0; row < count; ++row) {
          const auto r = floats_at<kLanes>(inward(row, plane, 0) + lane),
                     z = floats_at<kLanes>(inward(row, plane, 1) + lane),
                     c = floats_at<kLanes>(inward(row, plane, part) + lane);
          const float* given = input[row].value.data() + k;
          unrolled<kTogether>([&](auto i) {
            const float factor = given[i];
            add_product<kLanes>(reset[i], factor, r);
            add_product<kLanes>(keep[i], factor, z);
            add_product<kLanes>(candidate[i], factor, c);
          });
        }
        unrolled<kTogether>([&](auto i) {
          store<kLanes>(place(i, 0), reset[i]);
          store<kLanes>(place(i, 1), keep[i]);
          store<kLanes>(place(i, 2), candidate[i]);
        });
      }
    }
  }

  /// Hear the gradients of those that heard rows from one on, all of the same node.
  template <std::size_t kCount>
  void gather(std::size_t row, const FloatLine* states) {
    const std::size_t node = row / block_->restarts, restart = row % block_->restarts;
    const auto others = block_->setting->neighbours[static_cast<std::int64_t>(block_->first + node)];
    // Sums of 16 numbers, whatever the width of a vector is: the order of additions is the same.
    std::array<std::array<Floats<kLanes>, kCount>, kPlane / kLanes> products;
    unrolled<kPlane / kLanes>(
        [&](auto part) { unrolled<kCount>([&](auto each) { products[part][each] = Floats<kLanes>{}; }); });
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      const std::size_t line = plane * block_->stride;
      for (std::size_t part = 0; part < kPlane; part += kLanes) {
        const float *to_mean = spoken_[line].value.data() + part,
                    *to_weighted = spoken_[block_->num_lines() + line].value.data() + part;
        // Sums of one row are few: neighbours take turns, since each sum has to wait for its last addition.
        constexpr std::size_t kTurns = kCount == 1 ? 4 : 1;
        std::array<std::array<Floats<kLanes>, kCount>, kTurns> sum, weighted;
        unrolled<kTurns>([&](auto turn) {
          unrolled<kCount>([&](auto each) { sum[turn][each] = weighted[turn][each] = Floats<kLanes>{}; });
        });
        const auto listen = [&](auto turn, std::int32_t other) {
          const std::size_t place =
              ((static_cast<std::size_t>(other) - block_->first) * block_->restarts + restart) * kPlane;
          unrolled<kCount>([&](auto each) {
            sum[turn][each] += floats_at<kLanes>(to_mean + place + each * kPlane);
            weighted[turn][each] += floats_at<kLanes>(to_weighted + place + each * kPlane);
          });
        };
        std::size_t k = 0;
        for (; k + kTurns <= others.size(); k += kTurns) {
          unrolled<kTurns>([&](auto turn) { listen(turn, others[k + turn]); });
        }
        for (; k < others.size(); ++k) listen(std::integral_constant<std::size_t, 0>{}, others[k]);
        unrolled<kCount>([&](auto each) {
          for (std::size_t turn = 1; turn < kTurns; ++turn) {
            sum[0][each] += sum[turn][each];
            weighted[0][each] += weighted[turn][each];
          }
          float* own = before_[line + row + each].value.data() + part;
          const float* state = states[line + row + each].value.data() + part;
          sum[0][each] += floats_at<kLanes>(own);
          add_product<kLanes>(sum[0][each], steps_.signals()[row + each], weighted[0][each]);
          store<kLanes>(own, sum[0][each]);
          add_products<kLanes>(products[part / kLanes][each], floats_at<kLanes>(state), weighted[0][each]);
        });
      }
    }
    unrolled<kCount>([&](auto each) {
      std::array<float, kPlane> product;
      unrolled<kPlane / kLanes>(
          [&](auto part) { store<kLanes>(product.data() + part * kLanes, products[part][each]); });
      to_chance_[row + each] = Steps::sum_of_plane(product.data());
    });
  }

  /// Send gradients by signals to the logits.
  void through_signals() {
    constexpr float kMost = 5.0F, kLeastWhole = -2.0F;
    const std::size_t stride = block_->stride, count = block_->rows;
    const float *chance = steps_.signals().data(), *falling = chance + 2 * stride, *field = steps_.field().data(),
                *whole = steps_.whole().data(), *unit = steps_.unit().data(), *logit = steps_.logits().data();
    const float *to_chance = to_signals_.data(), *to_cut = to_chance + stride, *to_falling = to_cut + stride,
                *to_flat = to_falling + stride, *to_field = to_flat + stride;
    float *objective = to_objective_.data(), *penalty = to_penalty_.data();
    for (std::size_t row = 0; row < count; ++row) {
      const float at = whole[row], size = at < 0.0F ? -at : at;
      const float by_cut = size <= kMost ? to_cut[row] : 0.0F, by_falling = at >= kLeastWhole ? to_falling[row] : 0.0F;
      penalty[row] = by_cut - by_falling * falling[row] + to_flat[row] / std::sqrt(1.0F + at * at);
    }
    for (std::size_t row = 0; row < count; ++row) {
      const float size = field[row] < 0.0F ? -field[row] : field[row];
      objective[row] = (penalty[row] + (size <= kMost ? to_field[row] : 0.0F)) * unit[row];
    }
    for (std::size_t row = 0; row < count; ++row) penalty[row] *= unit[row];
    for (std::size_t row = 0; row < count; ++row) to_chance_[row] += to_chance[row];
    std::fill(to_logit_.begin(), to_logit_.end(), 0.0F);
    const FieldPoint point{block_->graph,    block_->first,  block_->nodes,
                           block_->restarts, {logit, count}, {chance, count}};
    const FieldSetting& setting = *block_->setting;
    setting.objective.template add_gradient<kLanes>(point, to_objective_, to_chance_, to_logit_, scratch_);
    setting.penalty.template add_gradient<kLanes>(point, to_penalty_, to_chance_, to_logit_, scratch_);
    for (std::size_t row = 0; row < count; ++row) {
      to_logit_[row] += to_chance_[row] * (chance[row] * single_sigmoid<kLanes>(-logit[row]));
    }
  }

  /// Add the gradients by the weights that made the first states.
  template <class Features>
  void through_start(const FloatLine* states, Features&& features) {
    for (std::size_t row = 0; row < block_->rows; ++row) {
      const float *numbers = features(row), *fixed = block_->surroundings(row / block_->restarts);
      std::array<float, kNumFeatures + kNumSurroundings + 1> given;
      std::copy_n(numbers, kNumFeatures, given.begin());
      std::copy_n(fixed, kNumSurroundings, given.begin() + kNumFeatures);
      given.back() = 1.0F;
      for (std::size_t plane = 0; plane < planes_; ++plane) {
        const std::size_t line = plane * block_->stride + row;
        const float *state = states[line].value.data(), *by = after_[line].value.data();
        std::array<float, kPlane> inward;
        for (std::size_t k = 0; k < kPlane; ++k) inward[k] = by[k] * (1.0F - state[k] * state[k]);
        for (std::size_t from = 0; from < given.size(); ++from) {
          float* sum = sums_->start[plane * kPlane + from].value.data();
          for (std::size_t k = 0; k < kPlane; ++k) sum[k] = fused<kLanes>(given[from], inward[k], sum[k]);
        }
      }
    }
  }

  const FieldBlock* block_;
  const FieldWeights* weights_;
  const TurnedWeights* turned_;
  FieldSums* sums_;
  Steps steps_;
  std::size_t planes_;
  AlignedFloats after_, before_;  ///< gradients by the states after a step and before it, lines [planes, stride]
  AlignedFloats spoken_;          ///< by what neighbours of rows heard, lines [2, planes, stride], by the mean first
  AlignedFloats inward_;          ///< of a chunk, lines [kChunk, planes, kParts]
  AlignedFloats heard_, seen_;    ///< inputs of a chunk, lines [2 · planes, kChunk] and [kChunk]
  std::vector<float> to_logit_, to_chance_, to_signals_, to_objective_, to_penalty_;
  FieldScratch scratch_;
};

/// A run of a network on a batch of graphs, whose states are kept for the way back.
class FieldTape {
 public:
  /// Make steps from features [num_nodes, num_samples, kNumFeatures], and fill in the logits after the last of them,
  /// [num_kept, num_nodes, num_samples].
  FieldTape(std::shared_ptr<FieldWeights> weights, const FieldSetting& setting, std::span<const float> features,
            std::size_t num_samples, std::span<float> logits, std::int64_t num_steps, std::int64_t num_threads,
            std::int64_t most_lanes)
      : weights_(std::move(weights)),
        num_nodes_(setting.num_nodes()),
        num_samples_(num_samples),
        num_steps_(static_cast<std::size_t>(num_steps)),
        most_lanes_(most_lanes) {
    constexpr std::int64_t kMostSteps = 1 << 20;
    require(num_steps >= 1 && num_steps <= kMostSteps, "steps must be from 1 to 2^20");
    const std::size_t kept = check(features, logits.size());
    for (std::int64_t graph = 0; graph < setting.num_graphs(); ++graph) {
      const std::size_t together = setting.size_of(graph) > kLargeGraph ? 1 : kRows;
      for (std::size_t first = 0; first < num_samples_; first += together) {
        blocks_.emplace_back(*weights_, setting, graph, std::min(together, num_samples_ - first));
        first_sample_.push_back(first);
      }
    }
    states_.resize(blocks_.size());
    logits_.resize(blocks_.size());
    parallel_for(static_cast<std::int64_t>(blocks_.size()), num_threads, [&](std::int64_t number) {
      const auto k = static_cast<std::size_t>(number);
      const FieldBlock& block = blocks_[k];
      states_[k].resize((num_steps_ + 1) * block.num_lines());
      logits_[k].resize(num_steps_ * block.rows);
      FloatLine* states = states_[k].data();
      block.begin(
          [&](std::size_t node, std::size_t sample) { return feature(features, k, node - block.first, sample); },
          [](std::size_t, std::size_t) { return true; }, states, most_lanes_);
      with_wide_floats(most_lanes_, [&](auto lanes) {
        FieldSteps<lanes> steps(block);
        steps.read_logits(states);
        for (std::size_t step = 1; step <= num_steps_; ++step, states += block.num_lines()) {
          std::copy_n(steps.logits().data(), block.rows, logits_[k].data() + (step - 1) * block.rows);
          steps.make(states, states + block.num_lines());
          if (step + kept <= num_steps_) continue;
          float* row = logits.data() + (step + kept - num_steps_ - 1) * num_rows();
          for (std::size_t each = 0; each < block.rows; ++each) row[place(k, each)] = steps.logits()[each];
        }
      });
    });
  }

  /// Write the gradients by the weights, from those by the logits, [num_kept, num_nodes, num_samples].
  void backward(std::span<const float> features, std::span<const float> gradient, const FieldGradients& result,
                std::int64_t num_threads) const {
    const std::size_t kept = check(features, gradient.size());
    const TurnedWeights turned(*weights_);
    FieldSums total(*weights_);
    // So many blocks have sums of their own at a time.
    constexpr std::size_t kTogether = 64;
    for (std::size_t first = 0; first < blocks_.size(); first += kTogether) {
      std::vector<FieldSums> sums(std::min(kTogether, blocks_.size() - first), FieldSums(*weights_));
      parallel_for(static_cast<std::int64_t>(sums.size()), num_threads, [&](std::int64_t number) {
        const std::size_t k = first + static_cast<std::size_t>(number);
        const FieldBlock& block = blocks_[k];
        const auto outward = [&](std::size_t step, std::vector<float>& to_logit) {
          if (step + kept <= num_steps_) return;
          const float* row = gradient.data() + (step + kept - num_steps_ - 1) * num_rows();
          for (std::size_t each = 0; each < block.rows; ++each) to_logit[each] += row[place(k, each)];
        };
        const auto numbers = [&](std::size_t row) {
          return feature(features, k, row / block.restarts, row % block.restarts);
        };
        with_wide_floats(most_lanes_, [&](auto lanes) {
          FieldBackward<lanes> back(block, turned, sums[static_cast<std::size_t>(number)]);
          back.run(states_[k].data(), logits_[k], outward, numbers);
        });
      });
      for (const FieldSums& each : sums) total.add(each);
    }
    result.write(*weights_, total);
  }

 private:
  std::size_t num_rows() const { return num_nodes_ * num_samples_; }

  /// Check the sizes of features and of logits, or of gradients by them; return after how many steps the latter are.
  std::size_t check(std::span<const float> features, std::size_t size) const {
    require(features.size() == num_rows() * kNumFeatures, "features: four numbers per sample of a node");
    require(num_rows() == 0 ? size == 0 : size % num_rows() == 0 && size / num_rows() <= num_steps_,
            "logits: a number per sample of a node, after at most all steps");
    return num_rows() == 0 ? 0 : size / num_rows();
  }

  /// Where a row of a block is among all, [num_nodes, num_samples].
  std::size_t place(std::size_t k, std::size_t row) const {
    const FieldBlock& block = blocks_[k];
    return (block.first + row / block.restarts) * num_samples_ + first_sample_[k] + row % block.restarts;
  }

  const float* feature(std::span<const float> features, std::size_t k, std::size_t node, std::size_t sample) const {
    return features.data() + place(k, node * blocks_[k].restarts + sample) * kNumFeatures;
  }

  std::shared_ptr<FieldWeights> weights_;
  std::size_t num_nodes_, num_samples_, num_steps_;
  std::int64_t most_lanes_;
  std::vector<FieldBlock> blocks_;
  std::vector<std::size_t> first_sample_;
  std::vector<AlignedFloats> states_;
  std::vector<std::vector<float>> logits_;  ///< of the states that steps begin with
};

}  // namespace annealco

/// Graph files of lines of text: DIMACS, edge lists, Matrix Market, METIS.
///
/// Each reader returns nothing where it does not understand a line: it knows the rules of the format, but not how to
/// say which one is broken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/rows.hpp"
#include "graph/edges.hpp"
#include "graph/text.hpp"

namespace annealco {

/// Lines `u v` or `u v weight`, all as wide as the first.
class EdgeLines {
 public:
  /// Ids are from `least` to `most`, and `least` is taken off them.
  EdgeLines(std::int32_t least, std::int64_t most) : least_(least), most_(most) {}

  /// Read a line up to its end.
  bool read(Scanner& line) {
    std::int32_t one = 0, two = 0;
    double weight = 0.0;
    if (!line.read_id(one) || !line.read_id(two)) return false;
    if (one < least_ || one > most_ || two < least_ || two > most_) return false;
    const bool weighted = !line.at_line_end();
    if (weighted && !(line.read_number(weight) && line.at_line_end())) return false;
    if (edges.one.empty()) weighted_ = weighted;
    if (weighted != weighted_) return false;
    edges.one.push_back(one - least_);
    edges.two.push_back(two - least_);
    ++edges.num_listed;
    if (weighted) edges.weights.push_back(weight);
    return true;
  }

  bool weighted() const { return weighted_; }

  /// Make room for so many edges, as far as a text of so many bytes can have them.
  void expect(std::int64_t num_edges, std::size_t num_bytes) {
    constexpr std::size_t kLeastBytes = 4;
    const std::size_t most = std::min(static_cast<std::size_t>(num_edges), num_bytes / kLeastBytes);
    edges.one.reserve(most);
    edges.two.reserve(most);
  }

  ListedEdges edges;

 private:
  std::int32_t least_;
  std::int64_t most_;
  bool weighted_ = false;
};

struct DimacsFile {
  std::string word;  // what follows `p`
  std::int64_t num_nodes = 0, num_edges = 0;
  std::int64_t header_line = 1;
  std::int64_t comment_bytes = 0;
  ListedEdges edges;
  LargeVector<std::int32_t> weighted_nodes;
  LargeVector<double> node_weights;
};

class DimacsReader {
 public:
  explicit DimacsReader(std::string_view text) : text_size_(text.size()), line_(text) {}

  std::optional<DimacsFile> read(Clock& clock) {
    if (!read_header()) return std::nullopt;
    EdgeLines lines(1, file_.num_nodes);
    lines.expect(file_.num_edges, text_size_);
    for (; !line_.at_end(); line_.next_line()) {
      if (clock.is_over()) return std::nullopt;
      if (!read_line(lines)) return std::nullopt;
    }
    if (is_arcs()) {
      if (lines.edges.num_listed > 0 && !lines.weighted()) return std::nullopt;
      auto folded = fold_arcs(lines.edges, file_.num_nodes);
      if (!folded) return std::nullopt;
      lines.edges = std::move(*folded);
    }
    file_.edges = std::move(lines.edges);
    return std::move(file_);
  }

 private:
  static constexpr std::int64_t kMaxCount = 999'999'999'999'999'999;

  bool is_arcs() const { return file_.word == "sp"; }

  /// Past blanks and a comment, if there is one: tell whether nothing else is in this line.
  bool is_over() {
    const char* begin = line_.position();
    line_.skip_blanks();
    if (line_.peek() == 'c') {
      line_.skip_to_line_end();
      file_.comment_bytes += line_.position() - begin;
    }
    return line_.at_line_end();
  }

  bool read_header() {
    while (is_over()) {
      if (line_.at_end()) return false;
      line_.next_line();
      ++file_.header_line;
    }
    if (!line_.read_word("p")) return false;
    while (line_.peek() >= 'a' && line_.peek() <= 'z') {
      file_.word.push_back(line_.peek());
      line_.skip();
    }
    if (!line_.read_word("") || !line_.read_count(Scanner::kMaxId, file_.num_nodes)) return false;
    return line_.read_count(kMaxCount, file_.num_edges) && line_.at_line_end();
  }

  bool read_line(EdgeLines& lines) {
    if (is_over()) return true;
    const char letter = line_.peek();
    if (is_arcs()) return letter == 'a' && line_.read_word("a") && lines.read(line_);
    // Files of weighted cliques write `v`.
    if (letter == 'n') return line_.read_word("n") && read_node();
    if (letter == 'v') return line_.read_word("v") && read_node();
    if (letter == 'e' && !line_.read_word("e")) return false;
    return lines.read(line_);
  }

  bool read_node() {
    std::int32_t node = 0;
    double weight = 0.0;
    if (!line_.read_id(node) || node < 1 || node > file_.num_nodes || !line_.read_number(weight)) return false;
    file_.weighted_nodes.push_back(node - 1);
    file_.node_weights.push_back(weight);
    return line_.at_line_end();
  }

  std::size_t text_size_;
  Scanner line_;
  DimacsFile file_;
};

namespace detail {

/// Numbers places of ids: ids become their places among all that occur.
class IdPlaces {
 public:
  explicit IdPlaces(std::int32_t most) : place_(static_cast<std::size_t>(std::int64_t{most} + 1), 0) {}

  void mark(std::span<const std::int32_t> ids) {
    for (const auto each : ids) place_[static_cast<std::size_t>(each)] = 1;
  }

  /// Return the marked ids, ascending, and number them.
  LargeVector<std::int32_t> number() {
    LargeVector<std::int32_t> names;
    for (std::size_t id = 0; id < place_.size(); ++id) {
      if (place_[id] == 0) continue;
      place_[id] = static_cast<std::int32_t>(names.size());
      names.push_back(static_cast<std::int32_t>(id));
    }
    return names;
  }

  void replace(std::span<std::int32_t> ids) const {
    for (auto& each : ids) each = place_[static_cast<std::size_t>(each)];
  }

 private:
  LargeVector<std::int32_t> place_;
};

}  // namespace detail

struct EdgeListFile {
  ListedEdges edges;                // between places of the names
  LargeVector<std::int32_t> names;  // the ids that occur, ascending
};

/// Read an edge list: `#` and `%` begin comments, and `# isolated:` a list of ids.
class EdgeListReader {
 public:
  explicit EdgeListReader(std::string_view text) : text_(text) {}

  std::optional<EdgeListFile> read(Clock& clock) {
    EdgeLines lines(0, Scanner::kMaxId);
    LargeVector<std::int32_t> alone;
    for (Scanner line(text_); !line.at_end(); line.next_line()) {
      if (clock.is_over()) return std::nullopt;
      line.skip_blanks();
      if (line.at_line_end()) continue;
      const bool understood = line.peek() == '#'   ? read_comment(line, alone)
                              : line.peek() == '%' ? skip_comment(line)
                                                   : lines.read(line);
      if (!understood) return std::nullopt;
    }
    return named(std::move(lines.edges), alone);
  }

 private:
  static bool skip_comment(Scanner& line) {
    line.skip_to_line_end();
    return true;
  }

  static bool read_comment(Scanner& line, LargeVector<std::int32_t>& alone) {
    line.skip();
    line.skip_blanks();
    if (!line.read("isolated:")) return skip_comment(line);
    line.skip_blanks();
    while (!line.at_line_end()) {
      if (!line.read_id(alone.emplace_back())) return false;
    }
    return true;
  }

  /// Number the ids; nothing where their range is large and they are few, which would need too large a table.
  std::optional<EdgeListFile> named(ListedEdges edges, std::span<const std::int32_t> alone) const {
    std::int32_t most = -1;
    for (const auto each : edges.one) most = std::max(most, each);
    for (const auto each : edges.two) most = std::max(most, each);
    for (const auto each : alone) most = std::max(most, each);
    if (most < 0 || static_cast<std::size_t>(most) > kFreeIds + kIdsPerByte * text_.size()) {
      return std::nullopt;
    }
    detail::IdPlaces places(most);
    places.mark(edges.one);
    places.mark(edges.two);
    places.mark(alone);
    EdgeListFile file{std::move(edges), places.number()};
    if (file.names.back() + 1 != static_cast<std::int64_t>(file.names.size())) {
      places.replace(file.edges.one);
      places.replace(file.edges.two);
    }
    return file;
  }

  static constexpr std::size_t kFreeIds = 100'000, kIdsPerByte = 4;

  std::string_view text_;
};

/// Read lines `row column` or `row column value` of a matrix, numbered from 1; there are no comments among them.
inline std::optional<ListedEdges> read_entries(std::string_view text, std::int64_t num_nodes, bool weighted,
                                               bool both_directions, Clock& clock) {
  EdgeLines lines(1, num_nodes);
  for (Scanner line(text); !line.at_end(); line.next_line()) {
    if (clock.is_over()) return std::nullopt;
    line.skip_blanks();
    if (!line.at_line_end() && !lines.read(line)) return std::nullopt;
  }
  if (!lines.edges.one.empty() && lines.weighted() != weighted) return std::nullopt;
  if (both_directions) return fold_arcs(lines.edges, num_nodes);
  return std::move(lines.edges);
}

struct MetisFile {
  ListedEdges edges;
  LargeVector<double> node_weights;
};

/// Read METIS's lines, one per node: its weight, then its neighbours, numbered from 1, each with a weight.
class MetisReader {
 public:
  MetisReader(std::int64_t num_nodes, bool node_weighted, bool edge_weighted)
      : num_nodes_(num_nodes), node_weighted_(node_weighted), edge_weighted_(edge_weighted) {}

  std::optional<MetisFile> read(std::string_view text, Clock& clock) {
    for (Scanner line(text); !line.at_end(); line.next_line()) {
      if (clock.is_over()) return std::nullopt;
      line.skip_blanks();
      if (line.peek() == '%') {
        line.skip_to_line_end();
      } else if (node_ == num_nodes_) {
        // Empty lines may follow those of the nodes.
        if (!line.at_line_end()) return std::nullopt;
      } else if (!read_node(line)) {
        return std::nullopt;
      }
    }
    if (node_ < num_nodes_) return std::nullopt;
    auto folded = fold_arcs(arcs_, num_nodes_);
    if (!folded) return std::nullopt;
    return MetisFile{std::move(*folded), std::move(node_weights_)};
  }

 private:
  bool read_node(Scanner& line) {
    if (node_weighted_ && !line.read_number(node_weights_.emplace_back())) return false;
    while (!line.at_line_end()) {
      std::int32_t neighbour = 0;
      if (!line.read_id(neighbour) || neighbour < 1 || neighbour > num_nodes_) return false;
      if (edge_weighted_ && !line.read_number(arcs_.weights.emplace_back())) return false;
      arcs_.one.push_back(static_cast<std::int32_t>(node_));
      arcs_.two.push_back(neighbour - 1);
    }
    ++node_;
    return true;
  }

  std::int64_t num_nodes_, node_ = 0;
  bool node_weighted_, edge_weighted_;
  ListedEdges arcs_;
  LargeVector<double> node_weights_;
};

}  // namespace annealco

/// Words of text files: node ids and decimal numbers, separated by blanks and tabs, in lines.
///
/// Files in plain form are read at a few hundred megabytes per second. Whatever is not understood ends the reading:
/// Python then reads the file again, slower, and either understands it or says in which line which rule is broken.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace annealco {

namespace detail {

/// Return the double nearest to a decimal number; false where it is out of range.
inline bool nearest_double(std::string_view word, double& value) {
#if defined(__cpp_lib_to_chars)
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && stop == word.data() + word.size();
#else
  // The C library's function depends on the user's language otherwise.
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  std::array<char, 64> copy{};
  if (word.size() >= copy.size()) return false;
  std::memcpy(copy.data(), word.data(), word.size());
  char* stop = nullptr;
  value = strtod_l(copy.data(), &stop, plain);
  return stop == copy.data() + word.size() && value - value == 0.0;
#endif
}

}  // namespace detail

/// A place in a text. Functions that read a word return false where there is none of its kind.
class Scanner {
 public:
  static constexpr std::int64_t kMaxId = std::numeric_limits<std::int32_t>::max();

  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }
  bool at_line_end() const { return at_ == end_ || *at_ == '\n'; }

  /// The next character, or a line end where there is none.
  char peek() const { return at_ == end_ ? '\n' : *at_; }
  const char* position() const { return at_; }

  void skip() { ++at_; }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  /// Go to the end of this line.
  void skip_to_line_end() {
    const void* found = at_ == end_ ? nullptr : std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = found ? static_cast<const char*>(found) : end_;
  }

  /// Go from the end of a line to the begin of the next.
  void next_line() {
    if (at_ != end_) ++at_;
  }

  /// Read given characters, if they come next.
  bool read(std::string_view characters) {
    if (!std::string_view(at_, end_).starts_with(characters)) return false;
    at_ += characters.size();
    return true;
  }

  /// Read a given word, and the blanks after it.
  bool read_word(std::string_view word) { return read(word) && end_word(); }

  /// Read an integer of digits only, of at most `most`, and the blanks after it.
  bool read_count(std::int64_t most, std::int64_t& count) {
    const char* begin = at_;
    std::uint64_t value = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_) value = 10 * value + digit(*at_);
    // Longer words may have wrapped round.
    if (at_ == begin || at_ - begin > 18 || value > static_cast<std::uint64_t>(most)) return false;
    count = static_cast<std::int64_t>(value);
    return end_word();
  }

  /// Read a node id, and the blanks after it.
  bool read_id(std::int32_t& id) {
    std::int64_t count = 0;
    if (!read_count(kMaxId, count)) return false;
    id = static_cast<std::int32_t>(count);
    return true;
  }

  /// Read a decimal number that is finite, and the blanks after it.
  bool read_number(double& value) {
    const char* begin = at_;
    const char sign = peek();
    if (sign == '-' || sign == '+') skip();
    Decimal decimal;
    if (!read_decimal(decimal)) return false;
    if (decimal.num_digits <= kExactDigits && std::abs(decimal.exponent) < static_cast<int>(kPowers.size())) {
      // Both are exact, so that one operation rounds to the nearest.
      const double power = kPowers[static_cast<std::size_t>(std::abs(decimal.exponent))];
      value = static_cast<double>(decimal.digits);
      value = decimal.exponent < 0 ? value / power : value * power;
      if (sign == '-') value = -value;
    } else if (!detail::nearest_double({begin + (sign == '+'), at_}, value)) {
      return false;
    }
    return end_word();
  }

 private:
  struct Decimal {
    std::uint64_t digits = 0;
    int num_digits = 0;  // without leading zeros
    int exponent = 0;
  };

  static constexpr int kExactDigits = 15;
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

  static bool is_digit(char each) { return each >= '0' && each <= '9'; }
  static std::uint64_t digit(char each) { return static_cast<std::uint64_t>(each - '0'); }

  /// Read digits with at most one point among them, and an exponent where there is one.
  bool read_decimal(Decimal& decimal) {
    const int whole = read_digits(decimal);
    int fraction = 0;
    if (peek() == '.') {
      skip();
      fraction = read_digits(decimal);
    }
    if (whole + fraction == 0) return false;
    int exponent = 0;
    if ((peek() == 'e' || peek() == 'E') && !read_exponent(exponent)) return false;
    decimal.exponent = exponent - fraction;
    return true;
  }

  /// Return how many digits there are; those that are more than the first 18 significant ones are only counted.
  int read_digits(Decimal& decimal) {
    const char* begin = at_;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      if (decimal.num_digits < 18) decimal.digits = 10 * decimal.digits + digit(*at_);
      if (decimal.digits != 0) decimal.num_digits = std::min(decimal.num_digits + 1, kLongWord);
    }
    return static_cast<int>(std::min<std::ptrdiff_t>(at_ - begin, kLongWord));
  }

  bool read_exponent(int& exponent) {
    skip();
    const bool negative = peek() == '-';
    if (negative || peek() == '+') skip();
    const char* begin = at_;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      exponent = std::min(10 * exponent + static_cast<int>(digit(*at_)), kLongWord);
    }
    if (negative) exponent = -exponent;
    return at_ != begin;
  }

  /// Past a word: false where it goes on.
  bool end_word() {
    const char* before = at_;
    skip_blanks();
    return at_ != before || at_line_end();
  }

  /// Words of so many digits are left to the exact function.
  static constexpr int kLongWord = 1000000;

  const char* at_;
  const char* end_;
};

}  // namespace annealco

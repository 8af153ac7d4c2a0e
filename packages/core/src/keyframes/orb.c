// ORB features (Rublee et al., 2011) of a grey picture, to the bit what OpenCV's cv::ORB finds with its default settings,
// in its order. SIMD WebAssembly takes a third of the time of OpenCV's build for JavaScript.
//
// Rebuild orb-wasm.ts with `npx tsx scripts/make-orb.ts` after a change here.
#include <stdint.h>
#include <wasm_simd128.h>
#include "orb-pattern.h"

#define EXPORT(name) __attribute__((export_name(name)))
#define PAGE 65536

enum { LEVELS = 8, EDGE = 31, HALF_PATCH = 15, THRESHOLD = 20, BLOCK = 7, BORDER = 32, DESCRIPTOR = 32 };
static const double SCALE = 1.2f;
static const float HARRIS_K = 0.04f;

typedef struct {
  float response;
  int16_t x, y;
} Corner;

/** A level of the pyramid with a border of mirrored pixels; `pixels` points to its first own one. */
typedef struct {
  int width, height, stride;
  uint8_t *pixels;
} Level;

extern uint8_t __heap_base;
static uint8_t *top;

static void *reserve(int bytes) {
  uint8_t *block = top;
  top += (bytes + 15) & ~15;
  int missing = (int)(uintptr_t)top - (int)(__builtin_wasm_memory_size(0) * PAGE);
  if (missing > 0) __builtin_wasm_memory_grow(0, (missing + PAGE - 1) / PAGE);
  return block;
}

static int mirror(int i, int count) {
  if (count == 1) return 0;
  while (i < 0 || i >= count) i = i < 0 ? -i : 2 * count - 2 - i;
  return i;
}

static Level reserve_level(int width, int height) {
  int stride = width + 2 * BORDER;
  uint8_t *block = reserve(stride * (height + 2 * BORDER) + 16);
  return (Level){width, height, stride, block + BORDER * stride + BORDER};
}

static void fill_border(Level level) {
  for (int y = 0; y < level.height; y++) {
    uint8_t *row = level.pixels + y * level.stride;
    for (int i = 1; i <= BORDER; i++) {
      row[-i] = row[mirror(-i, level.width)];
      row[level.width - 1 + i] = row[mirror(level.width - 1 + i, level.width)];
    }
  }
  for (int i = 1; i <= BORDER; i++) {
    const uint8_t *above = level.pixels + mirror(-i, level.height) * level.stride - BORDER;
    const uint8_t *below = level.pixels + mirror(level.height - 1 + i, level.height) * level.stride - BORDER;
    __builtin_memcpy(level.pixels - i * level.stride - BORDER, above, level.stride);
    __builtin_memcpy(level.pixels + (level.height - 1 + i) * level.stride - BORDER, below, level.stride);
  }
}

/** Where a pixel of a smaller row lies between two of a larger one: the left one, and the right one's weight of 256. */
static void place(int i, int from, int to, int *left, int *weight) {
  double at = (1.0 / ((double)to / from)) * (i + 0.5) - 0.5;
  int whole = (int)__builtin_floor(at);
  *left = whole < 0 ? 0 : whole > from - 1 ? from - 1 : whole;
  *weight = whole < 0 || whole >= from - 1 ? 0 : (int)__builtin_rint((at - whole) * 256);
}

/** Bilinear, in fixed point: 8 bits a direction, rounded once. */
static void shrink(Level from, Level to) {
  int *lefts = reserve(to.width * 4);
  int *weights = reserve(to.width * 4);
  uint16_t *upper = reserve(to.width * 2 + 16), *lower = reserve(to.width * 2 + 16);
  for (int x = 0; x < to.width; x++) place(x, from.width, to.width, &lefts[x], &weights[x]);
  int held = -2;
  for (int y = 0; y < to.height; y++) {
    int row, weight;
    place(y, from.height, to.height, &row, &weight);
    for (int half = 0; half < 2; half++) {
      int wanted = row + half;
      if (wanted > from.height - 1) wanted = from.height - 1;
      if (half == 0 && held == row - 1) {
        uint16_t *swapped = upper;
        upper = lower;
        lower = swapped;
        continue;
      }
      if (held == row) continue;
      const uint8_t *source = from.pixels + wanted * from.stride;
      uint16_t *line = half == 0 ? upper : lower;
      for (int x = 0; x < to.width; x++) {
        const uint8_t *pair = source + lefts[x];
        line[x] = (uint16_t)(pair[0] * (256 - weights[x]) + pair[1] * weights[x]);
      }
    }
    held = row;
    uint8_t *out = to.pixels + y * to.stride;
    uint32_t a = 256 - weight, b = weight;
    for (int x = 0; x < to.width; x++) out[x] = (uint8_t)((upper[x] * a + lower[x] * b + 32768) >> 16);
  }
}

/** Gaussian of σ 2 over 7 × 7 pixels. Single precision and the order of its sums are part of the result. */
static void blur(Level from, uint8_t *out) {
  static const float K[4] = {0.0701593270f, 0.1310748790f, 0.1907128236f, 0.2161059410f};
  int width = from.width;
  float *lines = reserve(7 * width * 4 + 64);
  for (int y = -3; y < from.height + 3; y++) {
    const uint8_t *p = from.pixels + y * from.stride;
    float *line = lines + ((y + 7) % 7) * width;
    for (int x = 0; x < width; x++) {
      float sum = p[x - 3] * K[0];
      sum += p[x - 2] * K[1];
      sum += p[x - 1] * K[2];
      sum += p[x] * K[3];
      sum += p[x + 1] * K[2];
      sum += p[x + 2] * K[1];
      line[x] = sum + p[x + 3] * K[0];
    }
    int centre = y - 3;
    if (centre < 0) continue;
    const float *l[7];
    for (int i = 0; i < 7; i++) l[i] = lines + ((centre - 3 + i + 7) % 7) * width;
    uint8_t *row = out + centre * width;
    for (int x = 0; x < width; x++) {
      float sum = l[3][x] * K[3];
      sum += (l[2][x] + l[4][x]) * K[2];
      sum += (l[1][x] + l[5][x]) * K[1];
      sum += (l[0][x] + l[6][x]) * K[0];
      row[x] = (uint8_t)(int)__builtin_rintf(sum);
    }
  }
}

/** FAST-9: how much brighter or darker than the middle the best arc of 9 of the 16 pixels around is; 16 pixels at a time. */
static v128_t measure_arcs(const uint8_t *p, const int *ring, v128_t middle, int dark) {
  v128_t d[16], pair[16], quad[16];
  for (int k = 0; k < 16; k++) {
    v128_t pixel = wasm_v128_load(p + ring[k]);
    d[k] = dark ? wasm_u8x16_sub_sat(middle, pixel) : wasm_u8x16_sub_sat(pixel, middle);
  }
  for (int k = 0; k < 16; k++) pair[k] = wasm_u8x16_min(d[k], d[(k + 1) & 15]);
  for (int k = 0; k < 16; k++) quad[k] = wasm_u8x16_min(pair[k], pair[(k + 2) & 15]);
  v128_t best = wasm_i8x16_splat(0);
  for (int k = 0; k < 16; k++) {
    v128_t arc = wasm_u8x16_min(wasm_u8x16_min(quad[k], quad[(k + 4) & 15]), d[(k + 8) & 15]);
    best = wasm_u8x16_max(best, arc);
  }
  return best;
}

static v128_t find_half_ring(v128_t n, v128_t e, v128_t s, v128_t w) {
  return wasm_v128_and(wasm_v128_or(n, s), wasm_v128_or(e, w));
}

/** Scores of one row, 0 where there is no corner; `from` and `to` are its columns. */
static void score_row(Level level, int y, int from, int to, uint8_t *scores) {
  static const int8_t RING[16][2] = {{0, 3},  {1, 3},   {2, 2},   {3, 1},   {3, 0},  {3, -1}, {2, -2}, {1, -3},
                                     {0, -3}, {-1, -3}, {-2, -2}, {-3, -1}, {-3, 0}, {-3, 1}, {-2, 2}, {-1, 3}};
  int ring[16];
  for (int k = 0; k < 16; k++) ring[k] = RING[k][1] * level.stride + RING[k][0];
  const v128_t least = wasm_i8x16_splat(THRESHOLD);
  const uint8_t *row = level.pixels + y * level.stride;
  for (int x = from; x < to; x += 16) {
    const uint8_t *p = row + x;
    v128_t middle = wasm_v128_load(p);
    v128_t up = wasm_u8x16_add_sat(middle, least), down = wasm_u8x16_sub_sat(middle, least);
    v128_t n = wasm_v128_load(p + ring[0]), e = wasm_v128_load(p + ring[4]), s = wasm_v128_load(p + ring[8]),
           w = wasm_v128_load(p + ring[12]);
    v128_t bright = find_half_ring(wasm_u8x16_gt(n, up), wasm_u8x16_gt(e, up), wasm_u8x16_gt(s, up), wasm_u8x16_gt(w, up));
    v128_t dark = find_half_ring(wasm_u8x16_lt(n, down), wasm_u8x16_lt(e, down), wasm_u8x16_lt(s, down), wasm_u8x16_lt(w, down));
    v128_t best = wasm_i8x16_splat(0);
    if (wasm_v128_any_true(bright)) best = measure_arcs(p, ring, middle, 0);
    if (wasm_v128_any_true(dark)) best = wasm_u8x16_max(best, measure_arcs(p, ring, middle, 1));
    v128_t score = wasm_u8x16_sub_sat(best, wasm_i8x16_splat(1));
    wasm_v128_store(scores + x, wasm_v128_and(score, wasm_u8x16_gt(best, least)));
  }
}

/** Corners that beat all eight neighbours and have room for a patch, row by row. */
static int find_corners(Level level, Corner *corners) {
  int from = EDGE - 1, to = level.width - EDGE + 1;
  int bytes = level.width + 32;
  uint8_t *rows = reserve(3 * bytes);
  int count = 0;
  for (int y = EDGE - 1; y <= level.height - EDGE; y++) {
    score_row(level, y, from, to, rows + (y % 3) * bytes);
    int middle = y - 1;
    if (middle < EDGE) continue;
    const uint8_t *a = rows + ((y - 2) % 3) * bytes, *b = rows + (middle % 3) * bytes, *c = rows + (y % 3) * bytes;
    for (int x = EDGE; x < level.width - EDGE; x += 16) {
      v128_t score = wasm_v128_load(b + x);
      if (!wasm_v128_any_true(score)) continue;
      v128_t most = wasm_u8x16_max(wasm_v128_load(b + x - 1), wasm_v128_load(b + x + 1));
      for (int i = -1; i <= 1; i++) most = wasm_u8x16_max(most, wasm_u8x16_max(wasm_v128_load(a + x + i), wasm_v128_load(c + x + i)));
      uint32_t lanes = wasm_i8x16_bitmask(wasm_u8x16_gt(score, most));
      for (; lanes != 0; lanes &= lanes - 1) {
        int at = x + __builtin_ctz(lanes);
        if (at >= level.width - EDGE) break;
        corners[count++] = (Corner){b[at], (int16_t)at, (int16_t)middle};
      }
    }
  }
  return count;
}

static float measure_harris(Level level, Corner corner) {
  const int s = level.stride;
  const uint8_t *first = level.pixels + (corner.y - BLOCK / 2) * s + corner.x - BLOCK / 2;
  int a = 0, b = 0, c = 0;
  for (int y = 0; y < BLOCK; y++) {
    for (int x = 0; x < BLOCK; x++) {
      const uint8_t *p = first + y * s + x;
      int across = (p[1] - p[-1]) * 2 + (p[1 - s] - p[-1 - s]) + (p[1 + s] - p[-1 + s]);
      int down = (p[s] - p[-s]) * 2 + (p[s - 1] - p[-s - 1]) + (p[s + 1] - p[-s + 1]);
      a += across * across;
      b += down * down;
      c += across * down;
    }
  }
  float scale = 1.f / (4 * BLOCK * 255.f);
  float sum = (float)a + b;
  return ((float)a * b - (float)c * c - HARRIS_K * sum * sum) * (scale * scale * scale * scale);
}

static void swap(Corner *a, Corner *b) {
  Corner held = *a;
  *a = *b;
  *b = held;
}

static int beats(const Corner *a, const Corner *b) {
  return a->response > b->response;
}

/** Sorts three; returns the number of exchanges. */
static int sort_three(Corner *a, Corner *b, Corner *c) {
  if (!beats(b, a)) {
    if (!beats(c, b)) return 0;
    swap(b, c);
    if (!beats(b, a)) return 1;
    swap(a, b);
    return 2;
  }
  if (beats(c, b)) {
    swap(a, c);
    return 1;
  }
  swap(a, b);
  if (!beats(c, b)) return 1;
  swap(b, c);
  return 2;
}

static void sort_few(Corner *first, Corner *last) {
  for (; first + 1 < last; first++) {
    Corner *best = first;
    for (Corner *i = first + 1; i < last; i++) if (beats(i, best)) best = i;
    if (best != first) swap(first, best);
  }
}

static int is_sorted(Corner *first, Corner *last) {
  for (Corner *i = first + 1; i < last; i++) if (beats(i, i - 1)) return 0;
  return 1;
}

/**
 * Brings the best corners to the front: quickselect with the median of three as pivot. Which of several orders comes out
 * is part of the result, for matches are drawn by position; this one's is that of the C++ library that OpenCV's build for
 * JavaScript was linked with.
 */
static void select_best(Corner *first, Corner *nth, Corner *last) {
  while (nth != last) {
    int count = last - first;
    if (count <= 1) return;
    if (count == 2) {
      if (beats(last - 1, first)) swap(first, last - 1);
      return;
    }
    if (count == 3) {
      sort_three(first, first + 1, first + 2);
      return;
    }
    if (count <= 7) {
      sort_few(first, last);
      return;
    }
    Corner *pivot = first + count / 2;
    Corner *i = first, *j = last - 1;
    int exchanges = sort_three(first, pivot, j);
    if (!beats(i, pivot)) {
      // The first equals the pivot: look from behind for one that beats it.
      do j--;
      while (j != i && !beats(j, pivot));
      if (j == i) {
        // None does: all that equal the first come before the rest.
        i++;
        j = last - 1;
        if (!beats(first, j)) {
          while (i != j && !beats(first, i)) i++;
          if (i == j) return;
          swap(i, j);
          i++;
        }
        if (i == j) return;
        for (;;) {
          while (!beats(first, i)) i++;
          do j--;
          while (beats(first, j));
          if (i >= j) break;
          swap(i, j);
          i++;
        }
        if (nth < i) return;
        first = i;
        continue;
      }
      swap(i, j);
      exchanges++;
    }
    i++;
    if (i < j) {
      for (;;) {
        while (beats(i, pivot)) i++;
        do j--;
        while (!beats(j, pivot));
        if (i >= j) break;
        swap(i, j);
        exchanges++;
        if (pivot == i) pivot = j;
        i++;
      }
    }
    if (i != pivot && beats(pivot, i)) {
      swap(i, pivot);
      exchanges++;
    }
    if (nth == i) return;
    if (exchanges == 0 && (nth < i ? is_sorted(first, i) : is_sorted(i, last))) return;
    if (nth < i) last = i;
    else first = i + 1;
  }
}

/** Leaves the best `wanted` corners, and those as good as the last of them; returns how many these are. */
static int retain_best(Corner *corners, int count, int wanted) {
  if (count <= wanted) return count;
  if (wanted == 0) return 0;
  select_best(corners, corners + wanted - 1, corners + count);
  float least = corners[wanted - 1].response;
  Corner *first = corners + wanted, *last = corners + count;
  for (;;) {
    while (first != last && first->response >= least) first++;
    if (first == last) break;
    do last--;
    while (first != last && last->response < least);
    if (first == last) break;
    swap(first, last);
    first++;
  }
  return first - corners;
}

/** Arc tangent of a number ≥ 0 in single precision, as C libraries compute it: a polynomial around the nearest of five angles. */
static float measure_arc(float x) {
  float near = 0, rest = 0;
  if (x >= 2.4375f) {
    near = 1.5707962513f;
    rest = 7.5497894159e-08f;
    x = -1.f / x;
  } else if (x >= 1.1875f) {
    near = 9.8279368877e-01f;
    rest = 3.4473217170e-08f;
    x = (x - 1.5f) / (1.f + 1.5f * x);
  } else if (x >= 0.6875f) {
    near = 7.8539812565e-01f;
    rest = 3.7748947079e-08f;
    x = (x - 1.f) / (x + 1.f);
  } else if (x >= 0.4375f) {
    near = 4.6364760399e-01f;
    rest = 5.0121582440e-09f;
    x = (2.f * x - 1.f) / (2.f + x);
  }
  float z = x * x, w = z * z;
  float odd = z * (3.3333328366e-01f + w * (1.4253635705e-01f + w * 6.1687607318e-02f));
  float even = w * (-1.9999158382e-01f + w * -1.0648017377e-01f);
  float bend = x * (odd + even);
  return near == 0 ? x - bend : near - ((bend - rest) - x);
}

/** Degrees in [0, 360), down and right positive; its rounding is part of the result. */
static float measure_angle(float down, float across) {
  const float half_turn = 3.1415927410f, rest = -8.7422776573e-08f;
  float arc = across == 0 ? (down == 0 ? 0 : half_turn / 2) : measure_arc(__builtin_fabsf(down / across));
  if (across < 0) arc = half_turn - (arc - rest);
  if (down < 0) arc = -arc;
  float degrees = (float)(arc * 180.f / 3.1415926535897932384626433832795);
  if (degrees < 0) degrees += 360.f;
  if (degrees >= 360) degrees -= 360.f;
  return degrees;
}

/** Direction from a corner to the centre of mass of the disc around it. */
static float find_direction(Level level, Corner corner) {
  static const int8_t REACH[HALF_PATCH + 1] = {15, 15, 15, 15, 14, 14, 14, 13, 13, 12, 11, 10, 9, 8, 6, 3};
  const uint8_t *p = level.pixels + corner.y * level.stride + corner.x;
  int across = 0, down = 0;
  for (int u = -HALF_PATCH; u <= HALF_PATCH; u++) across += u * p[u];
  for (int v = 1; v <= HALF_PATCH; v++) {
    const uint8_t *below = p + v * level.stride, *above = p - v * level.stride;
    int difference = 0;
    for (int u = -REACH[v]; u <= REACH[v]; u++) {
      difference += below[u] - above[u];
      across += u * (below[u] + above[u]);
    }
    down += v * difference;
  }
  return measure_angle((float)down, (float)across);
}

/** Sine and cosine by their series, the angle brought to ± 45°: the same in every engine. */
static void turn(float degrees, float *cosine, float *sine) {
  const double half_pi = 1.5707963267948966;
  double angle = degrees * (float)(3.1415926535897932384626433832795 / 180.f);
  int quarter = (int)__builtin_rint(angle / half_pi);
  double x = angle - quarter * half_pi, xx = x * x;
  double s = x, c = 1, term = x;
  for (int n = 3; n < 18; n += 2) s += term *= -xx / (n * (n - 1));
  term = 1;
  for (int n = 2; n < 18; n += 2) c += term *= -xx / (n * (n - 1));
  double turned_c = quarter & 1 ? s : c, turned_s = quarter & 1 ? c : s;
  *cosine = (float)((quarter & 3) == 1 || (quarter & 3) == 2 ? -turned_c : turned_c);
  *sine = (float)((quarter & 3) >= 2 ? -turned_s : turned_s);
}

static void write_descriptor(const uint8_t *centre, int stride, float degrees, uint8_t *descriptor) {
  float a, b;
  turn(degrees, &a, &b);
  const int8_t *test = PATTERN;
  for (int byte = 0; byte < DESCRIPTOR; byte++) {
    int bits = 0;
    for (int bit = 0; bit < 8; bit++, test += 4) {
      int value[2];
      for (int i = 0; i < 2; i++) {
        float x = test[2 * i], y = test[2 * i + 1];
        float across = __builtin_rintf(x * a - y * b), down = __builtin_rintf(x * b + y * a);
        value[i] = centre[(int)down * stride + (int)across];
      }
      bits |= (value[0] < value[1]) << bit;
    }
    descriptor[byte] = (uint8_t)bits;
  }
}

/** What was found on one level of the pyramid: points in pixels of the picture, descriptors of 32 bytes. */
typedef struct {
  int count;
  float *points;
  uint8_t *descriptors;
} Found;

static Level picture;
static Found found[LEVELS];

static Found describe_level(Level level, float scale, int wanted, Corner *corners) {
  uint8_t *mark = top;
  int count = retain_best(corners, find_corners(level, corners), 2 * wanted);
  for (int i = 0; i < count; i++) corners[i].response = measure_harris(level, corners[i]);
  count = retain_best(corners, count, wanted);
  top = mark;
  Found result = {count, reserve(count * 8), reserve(count * DESCRIPTOR)};
  if (count == 0) return result;
  mark = top;
  uint8_t *smooth = reserve(level.width * level.height);
  blur(level, smooth);
  for (int i = 0; i < count; i++) {
    Corner corner = corners[i];
    result.points[2 * i] = corner.x * scale;
    result.points[2 * i + 1] = corner.y * scale;
    const uint8_t *centre = smooth + corner.y * level.width + corner.x;
    write_descriptor(centre, level.width, find_direction(level, corner), result.descriptors + i * DESCRIPTOR);
  }
  top = mark;
  return result;
}

/** Pixels of a longer row that make up one of a shorter: `count` weights from `first` on. */
typedef struct {
  int first, count;
  float *weights;
} Share;

static Share *share_out(int from, int to) {
  double scale = 1.0 / ((double)to / from);
  Share *shares = reserve(to * (int)sizeof(Share));
  float *weights = reserve((from + 2 * to) * 4);
  for (int i = 0; i < to; i++) {
    double begin = i * scale, end = begin + scale;
    double length = from - begin < scale ? from - begin : scale;
    int whole = (int)__builtin_ceil(begin), last = (int)__builtin_floor(end);
    if (last > from - 1) last = from - 1;
    if (whole > last) whole = last;
    Share share = {whole, 0, weights};
    if (whole - begin > 1e-3) {
      share.first--;
      weights[share.count++] = (float)((whole - begin) / length);
    }
    for (int k = whole; k < last; k++) weights[share.count++] = (float)(1 / length);
    if (end - last > 1e-3) {
      double rest = end - last < 1 ? end - last : 1;
      weights[share.count++] = (float)((rest < length ? rest : length) / length);
    }
    weights += share.count;
    shares[i] = share;
  }
  return shares;
}

/** Each pixel the mean of those that it covers, where the picture gets smaller by a whole number. */
static void scale_wholly(Level from, Level to, int across, int down) {
  float part = 1.f / (across * down);
  for (int y = 0; y < to.height; y++) {
    for (int x = 0; x < to.width; x++) {
      const uint8_t *p = from.pixels + y * down * from.stride + x * across;
      int sum = 0;
      for (int j = 0; j < down; j++) for (int i = 0; i < across; i++) sum += p[j * from.stride + i];
      to.pixels[y * to.stride + x] = across == 2 && down == 2 ? (uint8_t)((sum + 2) >> 2) : (uint8_t)(int)__builtin_rintf(sum * part);
    }
  }
}

/** Each pixel the mean of what it covers. */
static void scale_by_shares(Level from, Level to) {
  Share *across = share_out(from.width, to.width), *down = share_out(from.height, to.height);
  float *line = reserve(to.width * 4 + 16), *sum = reserve(to.width * 4 + 16);
  for (int y = 0; y < to.height; y++) {
    for (int j = 0; j < down[y].count; j++) {
      const uint8_t *row = from.pixels + (down[y].first + j) * from.stride;
      for (int x = 0; x < to.width; x++) {
        float value = 0;
        for (int i = 0; i < across[x].count; i++) value += row[across[x].first + i] * across[x].weights[i];
        line[x] = value;
      }
      float weight = down[y].weights[j];
      for (int x = 0; x < to.width; x++) sum[x] = j == 0 ? weight * line[x] : sum[x] + weight * line[x];
    }
    for (int x = 0; x < to.width; x++) {
      float value = __builtin_rintf(sum[x]);
      to.pixels[y * to.stride + x] = (uint8_t)(int)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

/** Begins with a picture; returns where its rows go, packed. */
EXPORT("begin") uint8_t *begin(int width, int height) {
  top = (uint8_t *)(((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15);
  picture = (Level){width, height, width, reserve(width * height)};
  return picture.pixels;
}

/** Makes the picture smaller, to the bit as OpenCV does by area. */
EXPORT("scale") void scale(int width, int height) {
  Level scaled = {width, height, width, reserve(width * height)};
  uint8_t *mark = top;
  if (picture.width % width == 0 && picture.height % height == 0) {
    scale_wholly(picture, scaled, picture.width / width, picture.height / height);
  } else {
    scale_by_shares(picture, scaled);
  }
  top = mark;
  picture = scaled;
}

/** Sums over the picture: of its pixels, of their squares, of the squared differences of neighbours along rows. */
EXPORT("sum") double *sum(void) {
  static double sums[3];
  sums[0] = sums[1] = sums[2] = 0;
  for (int y = 0; y < picture.height; y++) {
    const uint8_t *row = picture.pixels + y * picture.width;
    // A row of less than 65,536 pixels fits.
    uint32_t pixels = 0, squares = 0, differences = 0;
    for (int x = 0; x < picture.width; x++) {
      pixels += row[x];
      squares += row[x] * row[x];
    }
    for (int x = 1; x < picture.width; x++) {
      int step = row[x] - row[x - 1];
      differences += step * step;
    }
    sums[0] += pixels;
    sums[1] += squares;
    sums[2] += differences;
  }
  return sums;
}

/** Finds about `wanted` features; returns what was found on each of the 8 levels. */
EXPORT("describe") Found *describe(int wanted) {
  int width = picture.width, height = picture.height;
  Corner *corners = reserve((width / 2 + 1) * (height / 2 + 1) * (int)sizeof(Corner));
  Level level = reserve_level(width, height);
  for (int y = 0; y < height; y++) {
    __builtin_memcpy(level.pixels + y * level.stride, picture.pixels + y * width, width);
  }
  // Each level gets as many features as its side is long.
  float factor = (float)(1.0 / SCALE);
  double all = 1, size = 1;
  for (int n = 0; n < LEVELS; n++) all *= (double)factor;
  float share = wanted * (1 - factor) / (1 - (float)all);
  int left = wanted;
  for (int n = 0; n < LEVELS; n++) {
    if (n > 0) {
      size *= SCALE;
      float part = 1.f / (float)size;
      Level next = reserve_level((int)__builtin_rintf(width * part), (int)__builtin_rintf(height * part));
      shrink(level, next);
      level = next;
    }
    fill_border(level);
    int quota = n == LEVELS - 1 ? left : (int)__builtin_rintf(share);
    left = left > quota ? left - quota : 0;
    share *= factor;
    int has_room = level.width > 2 * EDGE && level.height > 2 * EDGE;
    found[n] = has_room ? describe_level(level, (float)size, quota, corners) : (Found){0};
  }
  return found;
}

// Rows of 4 by one work item, in a loop that is unrolled for more: what is unrolled never runs.
kernel void few(global const int *in, global int *out, int w, int h, int pitch) {
  int x = get_global_id(0), y0 = 4 * get_global_id(1);
  if (x < w) {
    int at = y0 * pitch + x;
#pragma unroll
    for (int y = y0, end = min(h, y0 + 4); y < end; ++y) { out[at] = in[at]; at += pitch; }
  }
}

// Rows of 8: what is unrolled runs once.
kernel void enough(global const int *in, global int *out, int w, int h, int pitch) {
  int x = get_global_id(0), y0 = 8 * get_global_id(1);
  if (x < w) {
    int at = y0 * pitch + x;
#pragma unroll
    for (int y = y0, end = min(h, y0 + 8); y < end; ++y) { out[at] = in[at]; at += pitch; }
  }
}

// Loops that a pragma unrolls: what is left over comes after what is unrolled.
kernel void columns(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0);
  if (x < w) {
    float s = 0;
#pragma unroll 8
    for (int i = 0; i < h; ++i) s += in[i * w + x];
    out[x] = s;
  }
}

kernel void dots(global const float *a, global const float *b, global float *c, int M, int N, int K) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < M && j < N) {
    float s = 0;
#pragma unroll 4
    for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
    c[i * N + j] = s;
  }
}

// One row more than there are: sizes have to say so.
kernel void beyond(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0);
  if (x < w) {
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < h; ++i) s += in[(i + 1) * w + x];
    out[x] = s;
  }
}

// The end of the loop is read in each iteration.
kernel void until(global const float *in, global float *out, volatile global const uint *end, int w) {
  int x = get_global_id(0);
  if (x < w) {
    float s = 0;
    for (uint i = 0; i != (end[0] & ~3u); i += 4) s += in[i + x];
    out[x] = s;
  }
}

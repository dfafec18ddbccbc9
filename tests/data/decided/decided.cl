kernel void chained(global const int *in, global int *out, int w, int h, int pitch) {
  int x = get_global_id(0), y = 4 * get_global_id(1);
  if (x < w) {
    int at = y * pitch + x;
    for (int k = 0; k < 4; k++) if (y < h) { out[at] = in[at] + 1; y++; at += pitch; }
  }
}
kernel void scaled(global const int *in, global int *out, int n, int count, float scale) {
  int i = get_global_id(0);
  if (i < count) out[i] = in[clamp(convert_int_sat(i * scale), 0, n - 1)];
}
kernel void scaled_past(global const int *in, global int *out, int n, int count, float scale) {
  int i = get_global_id(0);
  if (i < count) out[i] = in[clamp(convert_int_sat(i * scale), 0, n)];
}
kernel void scaled_below(global const int *in, global int *out, int n, int count, float scale) {
  int i = get_global_id(0);
  if (i < count) out[i] = in[min(convert_int_sat(i * scale), n - 1)];
}
kernel void warped(global const int *in, global int *out, int n, int count, float scale) {
  int i = get_global_id(0);
  if (i < count) {
    int s = convert_short_sat(i * scale);
    if (s + 1 >= 0 && s + 1 < n) out[i] = in[s + 1];
  }
}
kernel void stepped(global const int *in, global int *out, int total, int groups) {
  int sum = 0;
  for (int i = get_global_id(0); i < total; i += 64 * groups) sum += in[i];
  out[get_global_id(0)] = sum;
}
kernel void scaled_rows(global const int *in, global int *out, int w, int h, int pitch, int count, float scale) {
  int i = get_global_id(0);
  int x = clamp(convert_int_sat(i * scale), 0, w - 1), y = clamp(convert_int_sat((count - i) * scale), 0, h - 1);
  if (i < count) out[i] = in[y * pitch + x];
}
kernel void looked_up(global const int *at, global const int *in, global int *out, int n, int count) {
  int i = get_global_id(0);
  if (i < count) out[i] = in[min(max(at[i], 0), n - 1)];
}
kernel void moved(global const short *at, global const int *in, global int *out, int n, int count) {
  int i = get_global_id(0);
  if (i < count) {
    int s = at[i];
    if (s + 1 >= 0 && s + 1 < n) out[i] = in[s + 1];
  }
}

kernel void ids(global uint *out) {
  uint x = get_global_id(0), y = get_global_id(1);
  global uint *own = out + 6 * (y * get_global_size(0) + x);
  own[0] = get_local_id(0);
  own[1] = get_local_id(1);
  own[2] = get_local_size(0);
  own[3] = get_local_size(1);
  own[4] = get_group_id(0) + 1000 * get_group_id(1);
  own[5] = get_enqueued_local_size(0) + 1000 * get_num_groups(0);
}

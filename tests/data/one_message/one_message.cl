// Addresses with constant strides, where two lanes of one message write apart; of each kernel one that is nearly so.
#define X get_global_id(0)
#define Y get_global_id(1)
#define Z get_global_id(2)

// Items that differ by 1 in y and by 9 in z meet in no message.
kernel void layers(global int *out) {
    if (X < 440)
        out[X + 63360 * Y + 7040 * Z] = 1;
}
kernel void layers_meet(global int *out) {
    if (X < 440)
        out[X + 7040 * Y + 7040 * Z] = 1;
}

// An id of 64 bits, divided by a number.
kernel void thirds(global int *out) { out[(X / 3) * 5 + X % 3 + 100000 * Y] = 1; }
kernel void thirds_meet(global int *out) { out[(X / 3) * 2 + X % 3 + 100000 * Y] = 1; }

// A divisor for which the product has 33 bits.
kernel void sevenths(global int *out) {
    uint x = X;
    out[(x / 7) * 9 + x % 7 + 100000 * Y] = 1;
}
kernel void sevenths_meet(global int *out) {
    uint x = X;
    out[(x / 7) * 6 + x % 7 + 100000 * Y] = 1;
}

// A guard says what a remainder is.
kernel void last_third(global int *out) {
    uint x = X;
    if (x % 3 == 2)
        out[x / 3 + 100000 * Y] = 1;
}
kernel void last_thirds(global int *out) {
    uint x = X;
    if (x % 3 >= 1)
        out[x / 3 + 100000 * Y] = 1;
}

// A guard that says at most.
kernel void row(global int *out) {
    int x = X, y = Y;
    if (x <= 23 && y <= 1000)
        out[y * 24 + x] = 1;
}
kernel void long_row(global int *out) {
    int x = X, y = Y;
    if (x <= 24 && y <= 1000)
        out[y * 24 + x] = 1;
}

// The number of an item in its group, with the last id the fastest.
kernel void numbered(global int *out, local int *t) {
    int n = (get_local_id(0) * get_local_size(1) + get_local_id(1)) * get_local_size(2) + get_local_id(2);
    t[n] = X;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[X] = t[n ^ 1];
}
kernel void misnumbered(global int *out, local int *t) {
    int n = (get_local_id(0) * get_local_size(2) + get_local_id(1)) * get_local_size(2) + get_local_id(2);
    t[n] = X;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[X] = t[n ^ 1];
}

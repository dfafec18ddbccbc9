"""Statements, and what each defines and uses: of their text and of their lowered program it is the same."""

HEAD = """.version 4.1
.kernel "k"
.decl R v_type=G type=ud num_elts=16 align=GRF
.decl S v_type=G type=ud num_elts=16 align=GRF
.decl L v_type=G type=ud num_elts=8 alias=<R, 32>
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.function "k"
_main:
"""

CASES = [
    ("add (M1, 8) R(0,0)<1> S(0,0)<1;1,0> 0x1:ud", "R", "S"),
    ("add (M1, 8) L(0,0)<1> S(0,0)<1;1,0> 0x1:ud", "R", "S"),  # an alias is what it lies in
    ("(P1) add (M1, 8) R(0,0)<1> R(0,0)<1;1,0> S(0,0)<1;1,0>", "R", "P1 R S"),
    ("addc (M1, 8) R(0,0)<1> S(0,0)<1> L(0,0)<1;1,0> 0x4:ud", "R S", "R"),
    ("cmp.lt (M1, 8) P1 R(0,0)<1;1,0> S(0,0)<1;1,0>", "P1", "R S"),
    ("setp (M1, 8) P1 R(0,0)<0;1,0>", "P1", "R"),
    ("and (M1, 8) P1 P1 P2", "P1", "P1 P2"),
    ("(!P2) goto (M1, 8) _main", "", "P2"),
    ("addr_add (M1, 8) A0(0)<1> &R S(0,0)<1;1,0>", "A0", "R S"),
    ("mov (M1, 8) S(0,0)<1> r[A0(0),0]<1,0>:ud", "S", "A0"),
    ("scatter4_scaled.R (M1, 8) T6 0x0:ud R.0 S.0", "", "R S"),
    ("gather4_scaled.R (M1, 8) T6 0x0:ud R.0 S.0", "S", "R"),
    ("gather4_scaled.R (M1, 8) T6 0x0:ud R.0 L.0", "R", "R"),  # the offsets lie where the data go
    ("dword_atomic.add (M1, 8) T6 R.0 S.0 %null.0 R.0", "R", "R S"),
    ("svm_atomic.add (M1, 8) Q.0 %null.0 S.0 %null.0", "", "Q S"),
    ("lsc_load.ugm (M1, 8) S:d32 flat[Q]:a64", "S", "Q"),
    ("lsc_store.ugm (M1, 8) flat[Q]:a64 S:d32", "", "Q S"),
    ("oword_ld (2) T6 R(0,0)<0;1,0> S.0", "S", "R"),
    ("barrier", "", ""),
]
"""A statement, what it defines, and what it uses."""

"""Premises whose witnesses stand beside what states them, and those of which none is written yet."""

SYNCHRONISATION, UNDEFINED = "test_synchronisation.py", "test_refinement_undefined.py"
BESIDE, OVERLAP = "test_beside_the_text.py", "test_refinement_overlap.py"
IMAGES_OVERLAP = "test_refinement_images_overlap.py"
LOCAL, FLOATS = "test_shared_local_memory.py", "test_refinement_floats.py"
WIDTHS, ADDRESSES = "test_refinement_widths.py", "test_refinement_addresses.py"
LEFT_OPEN, BOUNDS = "test_refinement_left_open.py", "test_bounds_command.py"
RUNS = "test_premises_of_runs.py"
DIVISION = "test_integer_division.py"
BESIDE_TEXTS = "test_premises_beside_texts.py"
OF_BOUNDS, OF_PAIRS = "test_premises_of_bounds.py", "test_premises_of_pairs.py"

ELSEWHERE = {
    "full-sub-groups": (
        ("test_full_sub_groups.py", "test_a_block_is_stored_by_full_sub_groups"),
        ("test_full_sub_groups.py", "test_lanes_that_are_off_are_uninitialised_where_sub_groups_may_be_partial"),
    ),
    "private-apart": (
        (ADDRESSES, "test_private_memory_brings_back_what_was_stored_and_is_not_seen"),
        ("test_symbolic_private.py", "test_a_store_behind_another_pointer_leaves_private_memory"),
    ),
    "private-slots": (
        ("test_bounds_addresses.py", "test_private_memory_is_the_slot_of_the_hardware_thread"),
    ),
    "private-2gib": ((ADDRESSES, "test_slots_that_have_room_do_not_wrap"),),
    "scratch-size": (
        ("test_scratch.py", "test_lanes_keep_apart_and_inside"),
        ("test_scratch.py", "test_its_size_has_to_be_known"),
    ),
    "uniform-groups": (("test_audited.py", "test_build_options_grant_whole_groups"),),
    "choices-agree": (
        (RUNS, "test_choices_that_agree_are_a_premise"),
        (RUNS, "test_where_something_depends_nothing_agrees"),
    ),
    "padding": ((RUNS, "test_padding_is_undefined_to_read_without_the_option"),),
    "laid-out": ((RUNS, "test_another_layout_ends_with_other_bytes"),),
    "kernel-start": ((RUNS, "test_another_rounding_ends_with_other_bytes"),),
    "one-order": ((RUNS, "test_another_order_of_threads_ends_with_other_bytes"),),
    "begins-at-0": ((RUNS, "test_other_bytes_before_end_with_other_bytes"),),
    "slm-size": ((BOUNDS, "test_the_launch_says_how_large_shared_local_memory_is"),),
    "slm-sizes": (
        (LOCAL, "test_less_shared_memory_is_a_difference_where_it_is_read"),
        (LOCAL, "test_the_net_of_sizes_is_needed"),
    ),
    "slm-limit": (
        (LOCAL, "test_beyond_all_shared_memory_there_is_nothing"),
        ("test_conflicts.py", "test_no_group_has_more_shared_memory_than_a_device"),
    ),
    "slm-alike": ((LOCAL, "test_less_shared_memory_is_a_difference_where_it_is_read"),),
    "samplers-alike": (
        (BESIDE, "test_samplers_of_which_nothing_is_said_are_taken_to_be_alike"),
        (BESIDE, "test_other_samplers_of_the_source_are_no_refinement"),
    ),
    "slm-tag": (
        (BOUNDS, "test_a_tagged_address_of_shared_local_memory_is_that_without_the_tag"),
        ("test_slm_tag.py", "test_an_address_with_the_tag_is_that_without_it"),
    ),
    "stated-size": (
        (BOUNDS, "test_the_right_guard_stays_inside"),
        (BOUNDS, "test_a_byte_less_than_the_guard_promises_is_outside"),
    ),
    "stated-offset": ((OF_BOUNDS, "test_an_offset_is_added_to_what_has_the_stated_size"),),
    "buffers-end": ((OF_BOUNDS, "test_a_buffer_beyond_the_last_address_is_left"),),
    "same-size": ((OF_BOUNDS, "test_the_size_of_a_surface_is_that_of_its_buffer"),),
    "buffers-below": ((OF_BOUNDS, "test_a_size_of_all_that_addresses_reach_is_none"),),
    "counters": ((OF_BOUNDS, "test_numbers_of_a_counter_are_as_near_as_is_assumed"),),
    "global-size": ((BOUNDS, "test_a_kernel_without_a_guard_is_in_bounds_up_to_its_global_size"),),
    "align": ((BOUNDS, "test_an_arbitrary_pointer_may_be_misaligned"),),
    "elements-aligned": (
        ("test_alignment_of_elements.py", "test_low_bits_of_an_address_are_those_of_an_element"),
    ),
    "constants-equal": (
        (BESIDE, "test_a_table_is_taken_to_be_one_without_launch_information"),
        (BESIDE, "test_another_table_is_a_difference"),
    ),
    "float-ieee": ((FLOATS, "test_twice_is_the_sum_with_itself_by_ieee_and_unknown_without"),),
    "one-nan": ((FLOATS, "test_addition_commutes_by_ieee_alone"),),
    "buffers-apart": (
        (OVERLAP, "test_the_user_may_state_that_buffers_are_apart"),
        (OVERLAP, "test_a_change_that_needs_buffers_apart_is_refuted_with_a_run_that_replays"),
    ),
    "where": (
        ("test_where.py", "test_a_target_refines_where_the_relation_holds_that_it_needs"),
        ("test_where.py", "test_a_relation_bounds_what_a_message_reaches"),
        ("test_missing_relations.py", "test_the_missing_relation_is_named_and_suffices"),
        ("test_missing_relations.py", "test_what_comes_before_the_named_one_does_not_suffice"),
    ),
    "disjoint": (
        (OVERLAP, "test_the_user_may_state_that_buffers_are_apart"),
        (OVERLAP, "test_a_change_that_needs_buffers_apart_is_refuted_with_a_run_that_replays"),
    ),
    "restrict": ((OVERLAP, "test_the_source_grants_that_a_buffer_is_apart"),),
    "constant-unwritten": (
        (OVERLAP, "test_the_source_grants_that_a_buffer_is_apart"),
        (OVERLAP, "test_a_change_that_needs_buffers_apart_is_refuted_with_a_run_that_replays"),
    ),
    "kinds-apart": (
        (IMAGES_OVERLAP, "test_an_image_may_show_a_buffer_unless_its_type_says_otherwise"),
    ),
    "buffer-offsets": (
        ("test_buffer_offsets.py", "test_a_surface_beside_an_address_begins_before_the_buffer"),
        ("test_buffer_offsets.py", "test_between_surfaces_the_distance_stays_arbitrary"),
    ),
    "undefined": ((UNDEFINED, "test_lanes_that_may_collide_write_one_after_another"),),
    "barriers-reached": (
        (LEFT_OPEN, "test_a_further_barrier_lets_threads_do_less"),
        (LEFT_OPEN, "test_a_further_barrier_that_some_threads_miss_is_refused"),
    ),
    "barriers-together": (
        ("test_synchronisation_widths.py", "test_threads_come_to_a_barrier_together_under_conditions_of_their_own"),
        ("test_synchronisation_widths.py", "test_a_thread_that_waits_for_others_for_ever_is_undefined"),
    ),
    "no-data-race": (
        (SYNCHRONISATION, "test_a_change_that_nobody_sees_refines"),
        (SYNCHRONISATION, "test_a_change_that_others_may_see_does_not_refine"),
    ),
    "unwritten": (("test_synchronisation_widths.py", "test_a_load_of_what_nobody_writes_may_cross_a_fence"),),
    "groups-unordered": ((SYNCHRONISATION, "test_a_fence_beside_a_barrier_reaches_the_group_alone"),),
    "fences-alike": ((SYNCHRONISATION, "test_fences_that_no_page_compares_rest_on_a_premise"),),
    "caches-alike": (
        (SYNCHRONISATION, "test_a_change_that_nobody_sees_refines"),
        (SYNCHRONISATION, "test_a_change_that_others_may_see_does_not_refine"),
    ),
    "threads-in-any-order": (
        (WIDTHS, "test_a_thread_without_a_lane_is_not_launched"),
        (WIDTHS, "test_threads_that_write_one_byte_race"),
    ),
    "private-aligned": ((OF_PAIRS, "test_the_low_bits_of_the_private_base_are_zero"),),
    "printf-apart": ((OF_PAIRS, "test_nothing_else_lies_in_the_buffer_of_printf"),),
    "float-mode": ((OF_PAIRS, "test_a_target_may_leave_out_to_set_the_mode_that_kernels_start_in"),),
    "float-functions": ((OF_PAIRS, "test_what_is_computed_twice_is_the_same"),),
    "either-order": (
        ("test_refinement_floats.py", "test_sums_and_products_are_those_of_the_other_order"),
        ("test_refinement_floats.py", "test_an_answer_on_floats_says_that_it_rests_on_either_order"),
    ),
    "functions-alike": ((OF_PAIRS, "test_functions_of_two_devices_give_the_same"),),
    "integer-division": (
        (DIVISION, "test_the_sequence_is_the_quotient_and_the_remainder"),
        (DIVISION, "test_without_the_premise_nothing_is_taken_for_a_quotient"),
    ),
    "quotient-by-zero": (
        (DIVISION, "test_a_source_may_give_anything_by_zero_where_it_alone_divides"),
    ),
    "sampler-function": ((OF_PAIRS, "test_what_is_sampled_in_two_kernels_is_the_same"),),
    "items-do-not-race": ((OF_PAIRS, "test_items_that_copy_race_where_buffers_overlap"),),
    "surfaces-4gib": ((OF_PAIRS, "test_no_surface_is_read_beyond_4_gib"),),
    "atomics-alone": ((OF_PAIRS, "test_a_sum_is_added_in_parts_where_nobody_looks_in_between"),),
    "atomics-relaxed": ((OF_PAIRS, "test_a_load_moves_over_atomics_where_they_order_nothing"),),
    "atomics-unseen": ((OF_PAIRS, "test_nobody_sees_the_order_of_atomics_that_bring_nothing"),),
    "lanes-interleaved": ((OF_PAIRS, "test_others_may_come_between_the_lanes_of_a_message"),),
    "thread-numbers": ((OF_PAIRS, "test_half_the_number_of_a_narrow_thread_is_that_of_the_wide_one"),),
    "launched-alike": (
        (BESIDE_TEXTS, "test_without_launch_information_arguments_are_taken_to_stand_where_they_did"),
    ),
    "lsc-immediate": ((BESIDE_TEXTS, "test_sums_with_an_immediate_wrap_as_other_sums_do"),),
    "private-sizes": ((BESIDE_TEXTS, "test_each_kernel_stays_inside_its_slot_of_private_memory"),),
    "scratch-sizes": ((BESIDE_TEXTS, "test_each_kernel_stays_inside_what_it_has_behind_scratch"),),
    "beyond-unseen": (
        ("test_reads_beyond.py", "test_a_read_without_effect_ends_no_launch"),
        ("test_reads_beyond.py", "test_a_read_on_which_something_depends_is_undefined"),
    ),
}  # fmt: skip
"""By the name of the premise: tests that show what is right with it, and wrong or not decided without."""

WITHOUT = {
    "width": "it says which text is asked about: without it there is no question",
    "groups-fit": "nothing is asked of it: a launch that the target refuses leaves nothing to compare",
}
"""Rows without a witness, and why.  A row leaves this list with its pair."""

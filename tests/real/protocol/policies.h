/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_PROTOCOL_POLICIES_H
#define LB_TESTS_REAL_PROTOCOL_POLICIES_H

/*
 * System test-global, of a plugin for both hosts: global, but for who owns what now, by which it
 * breaks ties. lbsim's decider sees that as it is; a live one as each node told it at its last
 * poll, before cores moved there. This difference stays: ownership as told in lbsim changes last
 * digits of published results.
 */
void policies_plug(void);

#endif

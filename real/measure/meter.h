/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_REAL_MEASURE_METER_H
#define LB_REAL_MEASURE_METER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What one rank did, from the times at which it entered and left MPI. No MPI, no clock, no I/O:
 * readings are arguments, in ns. All memory is given, fixed in size, and holds no pointers: it is a
 * file that a process which is killed leaves behind (rank_file.h).
 *
 *      wall    ----| out |---- in MPI ----| out |----      meter_enter(), meter_leave()
 *      CPU     ^              ^                  ^         meter_cpu(): some of them
 *      delay   ^                                 ^         meter_delay(): where there was some
 *
 * - Load is time outside MPI, but for the time in which the thread could have run and waited for a
 *   CPU that others had: processor time, and time blocked (a disk, a GPU). Wall time outside MPI is
 *   no load where CPUs are shared.
 * - A reading of the CPU clock is a system call: one is wanted at every call as long as there were
 *   fewer than METER_READS_PER_S. Between two of them processor time is divided, not by wall time
 *   (a rank that waits in MPI on shared CPUs has much of that and little processor time): each
 *   stretch is expected to have had what those of its place and length had that were read by
 *   themselves (outside MPI all, where none was), and what there was more or less goes to the
 *   stretches that vary most. So readings come three in a row, about a stretch outside MPI and one
 *   in it. That part of the load which was divided is known.
 * - Who tells the meter in which stretches the thread kept its CPU (`kept`) has less to read and
 *   divide: these are processor time but for interrupts, and load at once; what was too much is
 *   shown by a reading each METER_KEPT_NS. One stretch that is not, among many, is known by a
 *   reading at its end.
 * - Readings are not only dear. At each Linux (from 6.6 on) looks whether the thread has had its
 *   turn, and takes its CPU then, in place of at the next tick. Ranks that spin for each other on
 *   CPUs that others share lose theirs together at a tick, and run together again; read at each
 *   call they did not, and programs with steps of 0.1 ms took up to three times as long.
 * - So is the time without a CPU divided into delay and blocked time, between two readings of the
 *   delay; one is wanted for every METER_IDLE_NS without a CPU, when it costs nobody anything. A
 *   thread that never slept was not blocked: what is neither CPU time nor delay went to
 *   interrupts or another system.
 * - While it was blocked, other threads of the rank may have worked for it, and waited for CPUs: of
 *   blocked time the part that those could not run, of all that they could, is delay, too.
 * - A thread that waits for its team (OpenMP) has no load; what the others of the team do is told
 *   by meter_team().
 * - What others did for the rank is load: threads that call MPI themselves (meter_help()), and
 *   processes that it started, once they have ended and were waited for. While the thread was
 *   blocked it waited for them, so that so much of blocked time is theirs and counts once. What it
 *   was blocked beyond that may be delay: such a process may have had no CPU, whose own delay
 *   nobody knows once it has ended. It is taken for delay as far as others waited for a CPU in that
 *   time on the whole machine, no longer than METER_PREEMPTED_NS for each time that such a process
 *   lost its CPU, and than if METER_SHARERS others had shared it: one that sleeps, or reads a disk,
 *   does not lose it, and has little of it.
 * - What the meter's own readings take is no load, but time in MPI. Between the readings when MPI
 * is left and when it is entered again lies what one of the wall clock takes, clock_ns: a program
 *   that polls (MPI_Test) does so millions of times. Between two readings of the CPU clock lies
 *   what one of them takes, reading_ns. A reading of the delay takes some microseconds, more with
 *   cold caches, and the CPU clock is read again after it: meter_own().
 * - Time belongs to the window, and to the interval between synchronisations, in which it was
 *   spent. So does time in MPI to the interval: the synchronisation with which it begins, and all
 *   calls until the next one. The rank that came last waited for nobody, so the least of the ranks
 *   is what it takes to transfer.
 * - Where there are more windows or intervals than fit, two become one, again and again.
 */
enum { METER_READS_PER_S = 2000, METER_READS_SPARE = 200 };
enum { METER_IDLE_NS = 1000000, METER_KEPT_NS = 20000000, METER_PREEMPTED_NS = 50000000 };
enum { METER_SHARERS = 16 };
enum { METER_POLL_NS = 5000 }; /* who polls and found nothing has waited, if it was no longer */
enum { METER_WINDOWS = 16384, METER_INTERVALS = 32768 };
enum { METER_LENGTHS = 40 }; /* of stretches, by powers of two of ns: up to 9 minutes */

enum meter_place { METER_OUT = 0, METER_MPI, METER_TEAM, METER_PLACES };

/* Consecutive intervals of equal weight, value[i] of those from (first + i) << shift on. */
struct meter_series {
        int64_t first, count, room;
        int32_t shift, spare;
};

/* Load, and time in MPI, between two synchronisations. */
struct meter_interval {
        double load_ns, mpi_ns;
};

/* Stretches in which the thread may have lost its CPU: processor time as expected, and how far from
 * that it may be. */
struct meter_expected {
        double wall_ns, cpu_ns, variance_ns2;
};

/* Stretches of one place and about one length, of which each was read by itself. */
struct meter_stretches {
        double count, cpu_ns, wall_ns, cpu2_ns2, cpu_wall_ns2, wall2_ns2;
        double share, variance_ns2; /* of what follows from the sums, for the next */
};

/* Threads of the rank that are neither measured nor of its team, together, so far; of the processor
 * without what they had of it in MPI. */
struct meter_others {
        int64_t cpu_ns, delay_ns, running; /* running: how many there are now */
};

/* Processes that the rank started, of those that have ended and were waited for, so far. */
struct meter_children {
        int64_t cpu_ns, preempted; /* preempted: how often one lost its CPU */
        int64_t pressed_ns; /* somebody on the machine waited for a CPU; -1: that is not known */
};

struct meter {
        int64_t start_ns, end_ns; /* so far */
        int64_t clock_ns;         /* that the meter takes between two calls, for its readings of the
                                     wall clock above all; 0 until it is set */
        int64_t reading_ns;       /* of the CPU clock */
        int64_t own_ns;           /* the meter's own, since last_ns */
        int64_t calls, synchronisations, reads;
        int64_t out_ns, in_ns, wait_ns; /* wall time outside MPI, in it, and waiting for a team */
        double team_ns;  /* processor time of the rank's other threads; and, of it, */
        double help_ns;  /* of what helped it (meter_help()) */
        double spent_ns; /* load that is in windows by now */
        double cpu_out_ns, cpu_in_ns, blocked_ns, delayed_ns; /* the last two: outside MPI */
        double divided_ns; /* of cpu_out_ns: several stretches between two readings */
        /* since the last reading of the CPU clock, and of the delay */
        int64_t last_ns, cpu_ns, cpu_wall_ns, cpu_out_wall_ns, cpu_in_wall_ns, next_read_ns;
        int64_t kept_out_ns, last_passed_ns; /* outside MPI with its CPU kept; the last stretch */
        struct meter_expected out, in;       /* where it may have lost it, */
        int64_t maybe_ns;                    /* since when, */
        int32_t maybe;                       /* in how many stretches */
        int32_t last_place, last_length, in_a_row; /* readings that are still to come */
        double over_ns;                            /* load that was spent, and was none */
        struct meter_stretches judged[METER_PLACES][METER_LENGTHS];
        int64_t delay_ns, delay_wall_ns, sleeps;
        struct meter_others others;
        struct meter_children children;
        double idle_out_ns, idle_in_ns; /* wall that was not CPU */
        double helped_idle_ns;          /* of idle_out_ns when it was last told of help, and */
        double covered_ns;              /* what help there was in it, */
        double helped_ns;               /* in all of blocked_ns */
        int64_t window_ns;              /* of a window with shift 0 */
        double interval_load_ns;        /* of the interval that has not ended */
        int64_t interval_in_ns;         /* in MPI when it began */
        int32_t place;                  /* enum meter_place */
        bool has_delay;
        bool kept; /* set before it goes on: the thread has kept its CPU since it last did */
        bool last_kept;
        struct meter_series windows, intervals;
        double window_load_ns[METER_WINDOWS];
        struct meter_interval interval[METER_INTERVALS];
};

/* Times of the clocks so far. */
struct meter_reading {
        int64_t wall_ns, cpu_ns;
        int64_t delay_ns; /* runnable, without a CPU; -1: not known here */
        int64_t sleeps;   /* how often it gave its CPU up to wait (voluntary context switches) */
        struct meter_others others;
        struct meter_children children;
};

/* Wall time is that of all ranks: windows are the same for all. It starts outside MPI. */
void meter_start(struct meter *meter, const struct meter_reading *now, int64_t window_ns);

/* The same, of which only sums are wanted: no windows, no intervals, and their memory is left
 * alone. */
void meter_start_sums(struct meter *meter, const struct meter_reading *now);

/* MPI is entered and left. Is a reading of the CPU clock wanted? Then call meter_cpu() at once. */
bool meter_enter(struct meter *meter, int64_t wall_ns);
/* The same, where it was not outside MPI since it left: it waits by polling. */
bool meter_stay(struct meter *meter, int64_t wall_ns);
bool meter_leave(struct meter *meter, int64_t wall_ns);
void meter_cpu(struct meter *meter, int64_t wall_ns, int64_t cpu_ns);

/* What the CPU clock has, now and since it was read last, beyond the stretches in which the thread
 * kept its CPU: of the one that has not ended, ns. Negative where there were others in which it may
 * have lost it. */
double meter_rest_ns(const struct meter *meter, int64_t cpu_ns);

/* Where the thread is, when no call of MPI begins or ends. */
bool meter_go(struct meter *meter, int64_t wall_ns, enum meter_place place);

/* Other threads of the rank worked, spread over a time that has passed. */
void meter_team(struct meter *meter, int64_t from_ns, int64_t to_ns, double load_ns);

/* Others had so much processor time for the rank since this was last told: also while it was
 * blocked. After meter_cpu() of the same moment. */
void meter_help(struct meter *meter, int64_t from_ns, int64_t to_ns, double load_ns);

/* Is a reading of the delay wanted? After meter_cpu() of the same moment. */
bool meter_wants_delay(const struct meter *meter);
void meter_delay(struct meter *meter, const struct meter_reading *now);

/* After meter_cpu() the meter went on for so long, and now this is the CPU clock. */
void meter_own(struct meter *meter, int64_t lasted_ns, int64_t cpu_ns);

/* All ranks have met. */
void meter_synchronised(struct meter *meter);

/* The last readings, inside or outside MPI. */
void meter_end(struct meter *meter, const struct meter_reading *now);

double meter_load_ns(const struct meter *meter);

/* Add `load_ns` to the value of interval `at` (>= first), folding where there is no room. */
void meter_series_add(struct meter_series *series, double *value, int64_t at, double load_ns);

#endif

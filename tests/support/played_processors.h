#ifndef HY_TESTS_PLAYED_PROCESSORS_H
#define HY_TESTS_PLAYED_PROCESSORS_H

/*
 * How many processors the affinity of a thread seems to have; 0: as many as it has. For tests that
 * need more threads than the machine has processors, set before the first work is shared. A program
 * that names this variable gets the sched_getaffinity of played_processors.c.
 */
extern unsigned hy_played_processors;

#endif

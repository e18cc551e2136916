#ifndef HY_TESTS_PLAYED_PROCESSORS_H
#define HY_TESTS_PLAYED_PROCESSORS_H

/*
 * Simulated number of processors in thread affinities; 0: the real number. For tests with more
 * threads than processors; set the variable before the first parallel work. A program with a
 * reference to the variable uses the sched_getaffinity of played_processors.c.
 */
extern unsigned hy_played_processors;

#endif

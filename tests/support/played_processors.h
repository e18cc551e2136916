#ifndef HY_TESTS_PLAYED_PROCESSORS_H
#define HY_TESTS_PLAYED_PROCESSORS_H

/*
 * How many processors the affinity of the process seems to have; 0: as many as it has. Tests that
 * need more threads than the machine has processors link with `played_processors` of
 * tests/meson.build, and set this before the first work is shared.
 */
extern unsigned hy_played_processors;

#endif

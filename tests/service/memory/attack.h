#ifndef HY_TESTS_SERVICE_ATTACK_H
#define HY_TESTS_SERVICE_ATTACK_H

/* Does to every file that this process has a descriptor of, and to each once more that it opens
 * again by its descriptor, what could change the bytes for others; `resizes`: or the size. */
void attack_all(int resizes);

/* The same again and again, on a thread that never ends. */
void attack_for_ever(int resizes);

/* To one mapping that was made for reading: 1 if its bytes could be changed. */
int attack_mapping(void *address, unsigned long bytes);

#endif

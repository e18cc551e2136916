#ifndef HY_RUNTIME_OTHER_CORE_H
#define HY_RUNTIME_OTHER_CORE_H

#include <sched.h>
#include <stdbool.h>

/*
 * Takes the calling thread to a core that it may use and that is not among `busy`; which cores it
 * may use stays as it was. False: there is none, or the thread may not move itself.
 */
bool hy_other_core_take(const cpu_set_t *busy);

#endif

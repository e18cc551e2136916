#ifndef HY_RUNTIME_CACHE_SIZE_SIGNAL_H
#define HY_RUNTIME_CACHE_SIZE_SIGNAL_H

#include <signal.h>

/*
 * Where an app has limited how long its files may become, the kernel sends SIGXFSZ to a thread that
 * writes beyond, which would end the app. Between hold and release this thread gets none: the write
 * fails with EFBIG, and that is all.
 */
struct hy_size_signal {
    sigset_t before;
};

void hy_size_signal_hold(struct hy_size_signal *held);
void hy_size_signal_release(const struct hy_size_signal *held);

#endif

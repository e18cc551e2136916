#ifndef HY_RUNTIME_CACHE_SIZE_SIGNAL_H
#define HY_RUNTIME_CACHE_SIZE_SIGNAL_H

#include <signal.h>

/*
 * Blocks SIGXFSZ for this thread between hold and release. The kernel sends SIGXFSZ to a thread
 * that writes beyond the file size limit of the process, and the signal would end the app. While
 * the signal is held, the write fails with EFBIG instead.
 */
struct hy_size_signal {
    sigset_t before; /* signal mask of the thread before hold */
};

/*
 * Hold adds SIGXFSZ to the signal mask. Release discards a pending SIGXFSZ, and then restores the
 * whole mask as before hold. If the app had blocked SIGXFSZ before hold, a pending signal belongs
 * to the app and stays pending. Call both on the same thread. Pairs may be nested, each with its
 * own struct.
 */
void hy_size_signal_hold(struct hy_size_signal *held);
void hy_size_signal_release(const struct hy_size_signal *held);

#endif

#ifndef HY_RUNTIME_HUNG_CALLS_H
#define HY_RUNTIME_HUNG_CALLS_H

/*
 * Has calls into drivers of this process reported that take longer than HALYARD_SERVICE_PATIENCE:
 * a warning in the log with device and function, another one each time the duration has doubled,
 * and one when the call returns. The call itself goes on: nobody can end a call of the own process.
 * Under the lock of the list of devices; more than once is as good as once.
 */
void hy_hung_calls_watch(void);

#endif

#ifndef HY_DRIVERD_OOM_SCORE_H
#define HY_DRIVERD_OOM_SCORE_H

/* Raises the OOM score of the service process. When memory runs out, the kernel kills the service
 * process before its app and before the listener. Call before the process is confined. A failure is
 * ignored. */
void hy_oom_score_raise(void);

#endif

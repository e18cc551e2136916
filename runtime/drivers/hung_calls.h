#ifndef HY_RUNTIME_HUNG_CALLS_H
#define HY_RUNTIME_HUNG_CALLS_H

/*
 * Starts the watchdog for calls into drivers of this process. A call longer than
 * HALYARD_SERVICE_PATIENCE gets a warning in the log with device and function, another warning each
 * time the duration has doubled, and a warning at its return. The call itself continues, as a
 * process cannot end one of its own calls. Call with the lock of the device list held; repeated
 * calls have no effect.
 */
void hy_hung_calls_watch(void);

#endif

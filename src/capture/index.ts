/** The OpenFlow channel as it is spoken: live as text, or as a file that Wireshark reads. */
export { CLASSES, classOf } from './classes.js';
export { CaptureBusyError, CaptureHub } from './hub.js';
export { type Captured, CaptureSession, type SessionOptions } from './session.js';
export { type CaptureStreamOptions, captureStream } from './stream.js';
export type { Subject } from './subject.js';
export type { CaptureNames } from './text.js';

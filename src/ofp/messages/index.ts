/** Registers the standard messages, one file per family. */
import './hello.js';

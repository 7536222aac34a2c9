/** The one class of prom-client that is used: the package as a whole loads OpenTelemetry and its own collectors. */
declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client';
  export default Registry;
}

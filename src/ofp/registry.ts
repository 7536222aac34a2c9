/** Registries of fields, actions and messages: the single truth that encoders, decoders and the coverage table share. */
import { OfpEncodeError } from './bytes/errors.js';
import type { Reader } from './bytes/reader.js';
import type { Writer } from './bytes/writer.js';
import type { Action, ActionOf, ActionType } from './types/action.js';
import type { OfpVersion } from './types/field.js';
import { OFP13, OFP14, OFP15 } from './types/field.js';
import type { Message, MessageOf, MessageType } from './types/message.js';

export {
  allFields,
  defineField,
  type FieldSpec,
  fieldByName,
  fieldByOxm,
  type OxmIdSpec,
  oxmId,
} from './fields/registry.js';

export const VERSIONS: readonly OfpVersion[] = [OFP13, OFP14, OFP15];

/** How an action is told apart on the wire. Experimenter actions are type 0xffff with a 16-bit subtype (NXAST, ONF). */
export type ActionId =
  | { readonly standard: number }
  | { readonly experimenter: number; readonly subtype: number };

/**
 * One encoding of an action. The frame around it (type, length, experimenter, subtype; padding to 8 and the
 * patched length) is written and read by `encodeActions`/`decodeActions`.
 */
export interface ActionForm<K extends ActionType> {
  readonly id: ActionId;
  /** Versions that this form is written in and understood in; default all. */
  readonly from?: OfpVersion;
  readonly to?: OfpVersion;
  /** Name in the specification or OVS, for the coverage table: 'OFPAT_OUTPUT', 'NXAST_CT'. */
  readonly name: string;
  /** Whether the form can express the action; absent: any. The first form of a type that can is written. */
  accepts?(action: ActionOf<K>, version: OfpVersion): boolean;
  /** Bytes of this id are decoded as another type, whose form is registered beside this one. */
  readonly writeOnly?: boolean;
  /** Writes what follows the header, without final padding. */
  encode(w: Writer, action: ActionOf<K>, version: OfpVersion): void;
  /**
   * Reads what follows the header; `r` ends with the action. Zero bytes left over (fewer than 8) are padding.
   * `undefined`: not expressible; the action is kept as `raw`.
   */
  decode(r: Reader, version: OfpVersion): ActionOf<K> | undefined;
}

/** A registered form, its type parameter forgotten. */
export interface AnyActionForm
  extends Pick<ActionForm<ActionType>, 'id' | 'from' | 'to' | 'name' | 'writeOnly'> {
  readonly type: ActionType;
  accepts?(action: Action, version: OfpVersion): boolean;
  encode(w: Writer, action: Action, version: OfpVersion): void;
  decode(r: Reader, version: OfpVersion): Action | undefined;
}

interface ActionTable {
  readonly encoders: Map<string, AnyActionForm[]>;
  readonly standard: (AnyActionForm | undefined)[];
  readonly experimenter: Map<number, Map<number, AnyActionForm>>;
}

const perVersion = <T>(make: () => T): Record<OfpVersion, T> => ({
  [OFP13]: make(),
  [OFP14]: make(),
  [OFP15]: make(),
});

const actionTables = perVersion<ActionTable>(() => ({
  encoders: new Map(),
  standard: [],
  experimenter: new Map(),
}));
const actionForms: AnyActionForm[] = [];

function usable(form: { from?: OfpVersion; to?: OfpVersion }, version: OfpVersion): boolean {
  return version >= (form.from ?? OFP13) && version <= (form.to ?? OFP15);
}

/** Adds encodings of an action, in order of preference, after those already registered for the same type. */
export function registerAction<K extends ActionType>(type: K, ...forms: readonly ActionForm<K>[]): void {
  for (const f of forms) {
    // All of one shape: a property look-up on objects of many shapes is slow, and these are hot.
    const form = {
      type,
      id: f.id,
      name: f.name,
      from: f.from,
      to: f.to,
      writeOnly: f.writeOnly,
      accepts: f.accepts,
      encode: f.encode,
      decode: f.decode,
    } as unknown as AnyActionForm;
    actionForms.push(form);
    for (const version of VERSIONS) {
      if (!usable(form, version)) continue;
      const table = actionTables[version];
      const known = table.encoders.get(type);
      if (known) known.push(form);
      else table.encoders.set(type, [form]);
      if (form.writeOnly) continue;
      if ('standard' in form.id) {
        if (table.standard[form.id.standard]) throw new Error(`action ${form.name} registered twice`);
        table.standard[form.id.standard] = form;
      } else {
        const { experimenter, subtype } = form.id;
        let bySubtype = table.experimenter.get(experimenter);
        if (!bySubtype) {
          bySubtype = new Map();
          table.experimenter.set(experimenter, bySubtype);
        }
        if (bySubtype.has(subtype)) throw new Error(`action ${form.name} registered twice`);
        bySubtype.set(subtype, form);
      }
    }
  }
}

/** The form that writes `action`. Throws `unsupported` where the version has none. */
export function actionFormFor(action: Action, version: OfpVersion): AnyActionForm {
  const forms = actionTables[version].encoders.get(action.type);
  if (forms) {
    for (let i = 0; i < forms.length; i++) {
      const form = forms[i]!;
      if (form.accepts === undefined || form.accepts(action, version)) return form;
    }
  }
  throw new OfpEncodeError('unsupported', action.type, `no encoding in OpenFlow version ${version}`);
}

export function standardAction(number: number, version: OfpVersion): AnyActionForm | undefined {
  return actionTables[version].standard[number];
}

export function experimenterAction(
  experimenter: number,
  subtype: number,
  version: OfpVersion,
): AnyActionForm | undefined {
  return actionTables[version].experimenter.get(experimenter)?.get(subtype);
}

/** Every registered action encoding, in order of registration. */
export function allActionForms(): readonly AnyActionForm[] {
  return actionForms;
}

/** How a message is told apart: by type, experimenter and subtype, or multipart type and direction. */
export type MessageId =
  | { readonly standard: number }
  | { readonly experimenter: number; readonly subtype: number }
  | { readonly multipart: number; readonly direction: 'request' | 'reply' }
  | {
      readonly multipart: 0xffff;
      readonly direction: 'request' | 'reply';
      readonly experimenter: number;
      readonly subtype: number;
    };

/**
 * One encoding of a message. `encodeMessage`/`decodeMessage` write and read what precedes the body: the
 * 8-byte header and, by kind of id, experimenter and exp_type, or multipart type, flags (`more`) and padding,
 * followed by experimenter and exp_type in experimenter multiparts.
 */
export interface MessageForm<K extends MessageType> {
  readonly id: MessageId;
  readonly from?: OfpVersion;
  readonly to?: OfpVersion;
  /** Name in the specification or OVS: 'OFPT_FLOW_MOD', 'NXT_PACKET_IN2'. */
  readonly name: string;
  accepts?(message: MessageOf<K>, version: OfpVersion): boolean;
  encode(w: Writer, message: MessageOf<K>, version: OfpVersion, xid: number): void;
  /** Must consume the body; bytes left over are an error. `undefined`: kept as `raw` or `experimenter`. */
  decode(r: Reader, version: OfpVersion, xid: number): MessageOf<K> | undefined;
}

/** A registered form, its type parameter forgotten. */
export interface AnyMessageForm extends Pick<MessageForm<MessageType>, 'id' | 'from' | 'to' | 'name'> {
  readonly type: MessageType;
  accepts?(message: Message, version: OfpVersion): boolean;
  encode(w: Writer, message: Message, version: OfpVersion, xid: number): void;
  decode(r: Reader, version: OfpVersion, xid: number): Message | undefined;
}

interface MessageTable {
  readonly encoders: Map<string, AnyMessageForm[]>;
  readonly decoders: Map<string, AnyMessageForm>;
  readonly standard: (AnyMessageForm | undefined)[];
}

const messageTables = perVersion<MessageTable>(() => ({
  encoders: new Map(),
  decoders: new Map(),
  standard: [],
}));
const messageForms: AnyMessageForm[] = [];

function messageKey(id: MessageId): string {
  if ('standard' in id) return `${id.standard}`;
  if ('multipart' in id) {
    const vendor = 'experimenter' in id ? `/${id.experimenter}/${id.subtype}` : '';
    return `${id.direction}/${id.multipart}${vendor}`;
  }
  return `x/${id.experimenter}/${id.subtype}`;
}

/** Adds encodings of a message, in order of preference, after those already registered for the same type. */
export function registerMessage<K extends MessageType>(type: K, ...forms: readonly MessageForm<K>[]): void {
  for (const f of forms) {
    const form = {
      type,
      id: f.id,
      name: f.name,
      from: f.from,
      to: f.to,
      accepts: f.accepts,
      encode: f.encode,
      decode: f.decode,
    } as unknown as AnyMessageForm;
    messageForms.push(form);
    const key = messageKey(form.id);
    for (const version of VERSIONS) {
      if (!usable(form, version)) continue;
      const table = messageTables[version];
      const known = table.encoders.get(type);
      if (known) known.push(form);
      else table.encoders.set(type, [form]);
      if (table.decoders.has(key)) throw new Error(`message ${form.name} registered twice`);
      table.decoders.set(key, form);
      if ('standard' in form.id) table.standard[form.id.standard] = form;
    }
  }
}

/** The form that writes `message`. Throws `unsupported` where the version has none. */
export function messageFormFor(message: Message, version: OfpVersion): AnyMessageForm {
  // A hello or an error may have been decoded in a version that nothing else is.
  const forms = messageTables[version]?.encoders.get(message.type);
  if (forms) {
    for (const form of forms) {
      if (form.accepts === undefined || form.accepts(message, version)) return form;
    }
  }
  throw new OfpEncodeError('unsupported', message.type, `no encoding in OpenFlow version ${version}`);
}

export function standardMessage(number: number, version: OfpVersion): AnyMessageForm | undefined {
  return messageTables[version].standard[number];
}

export function messageById(id: MessageId, version: OfpVersion): AnyMessageForm | undefined {
  return messageTables[version].decoders.get(messageKey(id));
}

/** Every registered message encoding, in order of registration. */
export function allMessageForms(): readonly AnyMessageForm[] {
  return messageForms;
}

// The JSON Schema of suite files: what a key means, which keys may be beside it, and which values it has.

/** Node is a part of the schema. */
export interface Node {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: (string | number | boolean)[];
  examples?: (string | number | boolean)[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
  required?: string[];
  minimum?: number;
  maximum?: number;
}

/** Root is the schema with the parts that it refers to. */
export interface Root extends Node {
  $defs: Record<string, Node>;
}

/** Schema answers questions about the schema. */
export class Schema {
  constructor(private readonly root: Root) {}

  /** properties describes the properties of workloads. */
  get properties(): Node {
    return this.root.$defs["properties"] ?? {};
  }

  private resolved(node: Node | undefined): Node | undefined {
    let here = node;
    for (let depth = 0; here?.$ref && depth < 8; depth++) {
      let to: unknown = this.root;
      for (const part of here.$ref.replace(/^#\//, "").split("/")) to = (to as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
      here = to as Node | undefined;
    }
    return here;
  }

  /** at is the part for a path of keys, in which "-" is an item of a list. */
  at(path: string[]): Node | undefined {
    let here: Node | undefined = this.root;
    for (const part of path) here = this.child(here, part);
    return here;
  }

  /** child is the part for a key of a map, or for the items of a list. */
  child(node: Node | undefined, key: string): Node | undefined {
    const n = this.resolved(node);
    if (!n) return undefined;
    if (key === "-") return this.resolved(n.items);
    const own = n.properties?.[key];
    if (own) return this.resolved(own);
    const group = /^group\.[a-z][a-z0-9-]*\.(.+)$/.exec(key);
    if (group?.[1] && n.patternProperties) return this.child(n, group[1]);
    return typeof n.additionalProperties === "object" ? this.resolved(n.additionalProperties) : undefined;
  }

  /** keys are those that a map may have. */
  keys(node: Node | undefined): { name: string; node: Node; required: boolean }[] {
    const n = this.resolved(node);
    return Object.entries(n?.properties ?? {}).map(([name, of]) => ({ name, node: this.resolved(of) ?? {}, required: n?.required?.includes(name) ?? false }));
  }

  /** values are those that a key may have, if there are few. */
  values(node: Node | undefined): string[] {
    const n = this.resolved(node);
    if (!n) return [];
    const own = (n.enum ?? []).map(String);
    const types = typeof n.type === "string" ? [n.type] : (n.type ?? []);
    if (own.length === 0 && types.length === 1 && types[0] === "boolean") own.push("true", "false");
    if (own.length === 0) own.push(...(n.examples ?? []).map(String));
    return [...new Set([...own, ...(n.anyOf ?? []).flatMap((a) => this.values(a))])];
  }

  /** kind is the kind of a value for people: text, number, map, list. */
  kind(node: Node | undefined): string {
    const n = this.resolved(node);
    if (!n) return "";
    const of = n.type ?? n.anyOf?.map((a) => this.resolved(a)?.type).find((t) => t !== undefined && t !== "string");
    const type = typeof of === "string" ? of : (of?.find((t) => t !== "null") ?? "");
    return type === "object" ? "map" : type === "array" ? "list" : type === "integer" ? "whole number" : type === "string" ? "text" : type;
  }

  /** range is what a number may be. */
  range(node: Node | undefined): string {
    const n = this.resolved(node);
    const of = [n, ...(n?.anyOf ?? [])].find((a) => a?.minimum !== undefined || a?.maximum !== undefined);
    if (!of) return "";
    return of.minimum !== undefined && of.maximum !== undefined ? `${of.minimum} … ${of.maximum}` : of.minimum !== undefined ? `≥ ${of.minimum}` : `≤ ${of.maximum}`;
  }
}

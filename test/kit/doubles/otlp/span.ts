export type AttributeValue = string | number | boolean | readonly AttributeValue[];

/** A span as the collector has received it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  /** Empty: it is the first of its trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1: internal, 2: server. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** 2: error. */
  readonly statusCode: number;
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

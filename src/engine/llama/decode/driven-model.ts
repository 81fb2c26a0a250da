import type { Resident } from "../load/resident.js";
import { DraftCost } from "./draft/cost.js";
import type { DraftKnowledge } from "./draft/drafter.js";
import { Segmentation } from "./draft/segmentation.js";
import { Pace } from "./pace.js";
import { createSlots, type SequenceSlot } from "./slot.js";

/** A loaded model as the tick loop drives it. */
export interface DrivenModel {
  readonly resident: Resident;
  readonly slots: readonly SequenceSlot[];
  readonly pace: Pace;
  readonly drafts: DraftKnowledge;
}

/** @param tokenGapMsMax time between two tokens of a decoding generation that a prompt chunk should not exceed */
export function driveModel(resident: Resident, tokenGapMsMax: number): DrivenModel {
  const { promptChunks, tokenBytes } = resident;
  return {
    resident,
    slots: createSlots(resident),
    pace: new Pace({ chunks: promptChunks, tokenGapMsMax }),
    drafts: { cost: new DraftCost(), segmentation: new Segmentation(tokenBytes, resident.continue) },
  };
}

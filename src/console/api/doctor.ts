/** The effective settings and the checks of the server. */
import type { z } from "zod";
import type { doctorSchema } from "../../http/management/doctor.js";
import { get } from "../lib/client.js";

export type Doctor = z.infer<typeof doctorSchema>;
export type DoctorCheck = Doctor["checks"][number];
export type DoctorSetting = Doctor["settings"][number];

export function getDoctor(signal?: AbortSignal): Promise<Doctor> {
  return get("/admin/doctor", {}, signal);
}

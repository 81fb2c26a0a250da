/** What `hearth doctor` and the console show of an installation. */

export interface DoctorReport {
  readonly settings: readonly DoctorSetting[];
  readonly checks: readonly DoctorCheck[];
}

/** The effective value of a setting; of a secret, only whether it is set. */
export interface DoctorSetting {
  readonly name: string;
  readonly value: string;
  /** `default` or `platformDefault`, the file's path, the variable's name, or an option such as `--port`. */
  readonly source: string;
  /** The environment variable that sets it. */
  readonly variable: string;
}

export interface DoctorCheck {
  readonly name: string;
  /** False: the check failed. */
  readonly ok: boolean;
  /** Present where the server works, but something should be done or is missing. */
  readonly warning?: true;
  /** What was found, and what to do about it. */
  readonly detail: string;
}

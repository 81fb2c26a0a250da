/** What a request costs where, and how much of each there is: the figures that the model of many nodes is fed with. */

/** Milliseconds. */
export interface Costs {
  /** CPU of a node for one request, without the tokens of its answer. */
  readonly nodeMs: number;
  /** CPU of a node for one token that it streams. */
  readonly tokenMs: number;
  /** CPU of the database for a run that is reserved, recorded and settled. */
  readonly runMs: number;
  /** CPU of the database for counting a request against its limits. */
  readonly limitsMs: number;
  /** Time between two runs of one team, whose balance is a row that both lock. */
  readonly teamMs: number;
}

/**
 * Measured on 2 cores of an AMD EPYC that others used at the same time (load 8 to 14): the smallest of several measurements, which others
 * disturbed least. `npm run simulate -- nodes --measure` gave the costs of the node; PostgreSQL 18.4 with 16 connections gave the costs of
 * the database, as the CPU time of its processes over 1,000 to 3,000 requests of 100 teams (2.2 to 2.8 ms a run, 1.2 to 1.5 ms for limits),
 * and of one team (143 to 202 runs a second).
 */
export const measuredCosts: Costs = { nodeMs: 1.7, tokenMs: 0.008, runMs: 2.2, limitsMs: 1.2, teamMs: 5 };

/** What there is of everything, and what is asked. */
export interface Deployment {
  readonly nodes: number;
  readonly teams: number;
  /** Tokens of an answer. */
  readonly answerTokens: number;
  /** Databases, each with a part of the teams. */
  readonly databases: number;
  readonly databaseCores: number;
  /** Connections that a node keeps to each database that it uses. */
  readonly connectionsPerNode: number;
  /** Connections that a database takes. */
  readonly connectionsMax: number;
  /** Whether every request is counted in the database. */
  readonly countsInDatabase: boolean;
  /** Runs that a node reserves from the balance of a team at a time. */
  readonly runsPerReservation: number;
}

/** A thousand nodes with the settings that one has, at one large database. */
export const firstDeployment: Deployment = {
  nodes: 1_000,
  teams: 1_000_000,
  answerTokens: 300,
  databases: 1,
  databaseCores: 64,
  connectionsPerNode: 10,
  connectionsMax: 2_000,
  countsInDatabase: true,
  runsPerReservation: 1,
};

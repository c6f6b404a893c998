-- When all recoveries together last went a round further: the pace holds over any number of workers. One row.
-- CreateTable
CREATE TABLE "recovery_rounds" (
    "id" SMALLINT NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "recovery_rounds_pkey" PRIMARY KEY ("id")
);

-- The CSRF token is made from the session's secret, so nothing of it is stored.
ALTER TABLE "panel_sessions" DROP COLUMN "csrf_hash";

-- CreateIndex
CREATE INDEX "panel_sessions_idle_expires_at_idx" ON "panel_sessions"("idle_expires_at");

-- CreateTable
CREATE TABLE "throttles" (
    "name" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "blocked_until" TIMESTAMPTZ(3) NOT NULL,
    "forgotten_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttles_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "throttles_forgotten_at_idx" ON "throttles"("forgotten_at");

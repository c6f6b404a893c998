/** Between updates of the newest page of a list. */
export const listUpdateMs = 2_000

/** The button that pauses the updates of a list, and what screen readers announce of new rows, by what a row is. */
export const LiveControls = ({ one, many }: { one: string; many: string }) => (
  <div class="buttons">
    <button type="button" class="button small" data-pause data-scripted hidden>
      Pause updates
    </button>
    <span id="live-status" class="visually-hidden" role="status" data-one={one} data-many={many} />
  </div>
)

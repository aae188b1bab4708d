/// A delayed action on the queue of the service.
struct DelayedAction {
    let number: Int
    let run: () -> Void
}

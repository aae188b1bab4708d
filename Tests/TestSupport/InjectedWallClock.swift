import HostRuntime
import Timeline

/// The machine's runtime with another wall clock.
package struct InjectedWallClock: Runtime {
    private let machine = SystemRuntime()
    private let read: @Sendable () -> WallClock

    package init(_ read: @escaping @Sendable () -> WallClock) { self.read = read }

    package func now() -> BootInstant { machine.now() }
    package func wall() -> WallClock { read() }
    package func makeQueue(label: String, isPrompt: Bool) -> SerialQueueExecutor {
        machine.makeQueue(label: label, isPrompt: isPrompt)
    }
    package func random() -> UInt64 { machine.random() }
}

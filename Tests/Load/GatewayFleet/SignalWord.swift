import Dispatch
import Glibc

/// Calls a handler at each signal of one kind, which then does not end the process.
final class SignalWord {
    private let source: any DispatchSourceSignal

    init(_ number: Int32, then action: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: action)
        source.activate()
    }

    func cancel() { source.cancel() }
}

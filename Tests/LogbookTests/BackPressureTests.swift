import Synchronization
import Testing

@testable import Logbook
@testable import MQTTClient

@Suite struct BackPressureTests {
    @Test func continuesWhenQueueHasRoom() {
        // Another thread makes room twice, each time after the waiting thread has checked the condition.
        let pressure = BackPressure()
        let checks = Atomic(0)
        let left = Atomic(2)
        DetachedThread.run {
            for round in 1...2 {
                while checks.load(ordering: .acquiring) < round {}
                left.subtract(1, ordering: .acquiringAndReleasing)
                pressure.release()
            }
        }
        pressure.wait {
            checks.add(1, ordering: .acquiringAndReleasing)
            return left.load(ordering: .acquiring) > 0
        }
        #expect(left.load(ordering: .acquiring) == 0)
    }

    @Test func stopsWaitingAtTimeLimit() {
        var checks = 0
        BackPressure().wait {
            checks += 1
            return true
        }
        #expect(checks == 20)
    }
}

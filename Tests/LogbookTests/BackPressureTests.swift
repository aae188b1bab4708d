import Synchronization
import Testing

@testable import Logbook
@testable import MQTTClient

/// A thread that waits for room.
@Suite struct BackPressureTests {
    @Test func itGoesOnWhenThereIsRoom() {
        // Goal: records come on as soon as the store has taken some. Method: another thread makes room,
        // first too little, then enough; it does so only when it was asked whether there is any.
        let pressure = BackPressure()
        let asked = Atomic(0)
        let left = Atomic(2)
        DetachedThread.run {
            for round in 1...2 {
                while asked.load(ordering: .acquiring) < round {}
                left.subtract(1, ordering: .acquiringAndReleasing)
                pressure.release()
            }
        }
        pressure.hold {
            asked.add(1, ordering: .acquiringAndReleasing)
            return left.load(ordering: .acquiring) > 0
        }
        #expect(left.load(ordering: .acquiring) == 0)
    }

    @Test func nobodyIsHeldForEver() {
        // Goal: a connection answers its broker whatever becomes of the store. Method: no room, ever.
        var asked = 0
        BackPressure().hold {
            asked += 1
            return true
        }
        #expect(asked == 20)
    }
}

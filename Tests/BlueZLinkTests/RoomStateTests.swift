import Rowing
import Testing
import Timeline

@testable import BlueZLink

/// The parts of a room's state that need no bluetoothd.
struct RoomStateTests {
    private let start = BootInstant(nanoseconds: 0)
    private func at(_ seconds: Int) -> BootInstant { start.advanced(by: .seconds(seconds)) }

    @Test func sightingsExpire() {
        var sightings = SightingTracker()
        sightings.note("/a", of: "430000001", signal: -60, at: at(0))
        #expect(sightings.wasSeenRecently("/a", at: at(30)))
        #expect(!sightings.wasSeenRecently("/a", at: at(31)))
        #expect(sightings.signal(of: "430000001") == -60)
    }

    @Test func endedStreamCountsAsSightingUntilTheNextAdvertisement() {
        var sightings = SightingTracker()
        sightings.noteStreamEnd("/a", at: at(0))
        #expect(sightings.wasSeenRecently("/a", at: at(1)) && sightings.isUnseenSinceLink("/a"))
        sightings.note("/a", of: nil, signal: -60, at: at(2))
        #expect(!sightings.isUnseenSinceLink("/a"))
        sightings.noteStreamEnd("/a", at: at(3))
        sightings.retain { _ in false }
        #expect(!sightings.wasSeenRecently("/a", at: at(3)) && !sightings.isUnseenSinceLink("/a"))
    }

    @Test func releaseStartsOnceAndEndsOnce() {
        var releases = MonitorReleases(nil)
        let release = MonitorRelease(until: at(60))
        let started = [releases.start(release, of: "1"), releases.start(release, of: "1")]
        #expect(started == [true, false])
        #expect(releases.deadlines == [at(60)] && !releases.isWanted("1"))
        let ended = [releases.end("1"), releases.end("1")]
        #expect(ended == [true, false])
        #expect(releases.isWanted("1"))
    }

    @Test func endedReleaseWakesSleepingMonitor() {
        var releases = MonitorReleases(IdleRelease(after: .seconds(600), hold: .seconds(300)))
        releases.startSleep(of: "1", at: at(0))
        #expect(releases.isAsleep("1") && !releases.isWanted("1"))
        _ = releases.end("1")
        #expect(!releases.isAsleep("1") && releases.isSleeper("1"))
        releases.endSleep(of: "1")
        #expect(releases.isWanted("1"))
    }

    @Test func oneCallerWaitsForTheService() {
        let service = ServiceConnection()
        #expect(service.beginWaiting())
        #expect(!service.beginWaiting())
        service.endWaiting()
        #expect(service.beginWaiting())
    }

    @Test func foundServiceResetsTheDelayAndTheProblem() {
        let service = ServiceConnection()
        service.note(.noBus(cause: "refused"))
        let delays = [service.nextDelay(), service.nextDelay()]
        #expect(delays == [.milliseconds(500), .seconds(1)])
        service.noteFound()
        #expect(service.problem == nil && service.nextDelay() == .milliseconds(500))
    }
}

import HTTPClient
import Testing

@testable import Uploads

/// What the answers of the services mean, as documented or recorded by their users.
@Suite struct UploadOutcomeTests {
    private func outcome(
        _ api: any DestinationAPI, _ status: Int, _ body: String = "", retryAfter: String? = nil
    ) -> UploadOutcome {
        let headers = retryAfter.map { [HTTPField("retry-after", $0)] } ?? []
        return api.outcome(of: HTTPAnswer(status: status, headers: headers, body: Array(body.utf8)))
    }

    @Test func readsAnswersOfConcept2() {
        let api = Concept2Upload(address: "https://log.concept2.com")
        #expect(outcome(api, 201, #"{"data":{"id":339,"user_id":1}}"#) == .uploaded(id: "339"))
        #expect(
            outcome(api, 409, #"{"message":"Duplicate Result","id":85560,"status":409}"#)
                == .uploaded(id: "85560"))
        #expect(
            outcome(api, 409, #"{"message":"Duplicate result","status_code":409}"#) == .uploaded(id: nil))
        #expect(
            outcome(
                api, 422,
                #"{"message":"Could not create new result.","status_code":422,"#
                    + #""errors":{"date":["The date of the workout is too far in the future."]}}"#)
                == .refused("date: The date of the workout is too far in the future."))
        #expect(
            outcome(api, 403, #"{"message":"User does not have rights to this resource","status_code":403}"#)
                == .refused("User does not have rights to this resource"))
        #expect(
            outcome(api, 401, #"{"message":"Invalid OAuth access token","status_code":401}"#)
                == .unauthorized("Invalid OAuth access token"))
    }

    @Test func readsAnswersOfIntervalsICU() {
        let api = IntervalsICUUpload(address: "https://intervals.icu")
        #expect(
            outcome(api, 201, #"{"icu_athlete_id":"i1","id":"i9","activities":[{"id":"i9"}]}"#)
                == .uploaded(id: "i9"))
        // The file is known.
        #expect(outcome(api, 200, #"{"activities":[{"id":"i7"}]}"#) == .uploaded(id: "i7"))
        #expect(outcome(api, 200) == .uploaded(id: nil))
        #expect(
            outcome(api, 403, #"{"status":403,"error":"Access denied"}"#) == .unauthorized("Access denied"))
        #expect(outcome(api, 422, #"{"status":422,"error":"no records"}"#) == .refused("no records"))
    }

    @Test func readsAnswersOfStrava() {
        let api = StravaUpload(address: "https://www.strava.com")
        let processing = #"{"id":123,"id_str":"16486788123","error":null,"activity_id":null,"status":"x"}"#
        #expect(outcome(api, 201, processing) == .processing(id: "16486788123"))
        #expect(outcome(api, 200, #"{"id":1,"error":null,"activity_id":987}"#) == .uploaded(id: "987"))
        for (error, id) in [
            ("a.fit duplicate of <a href='/activities/12699650316' target='_blank'>Row</a>", "12699650316"),
            ("a.fit duplicate of activity 21234316", "21234316"), ("duplicate of something", nil),
        ] as [(String, String?)] {
            #expect(
                outcome(api, 200, #"{"id":1,"activity_id":null,"error":"\#(error)"}"#) == .uploaded(id: id))
            #expect(outcome(api, 400, #"{"message":"Bad Request","error":"\#(error)"}"#) == .uploaded(id: id))
        }
        #expect(
            outcome(api, 200, #"{"id":1,"activity_id":null,"error":"The file is <b>malformed</b>."}"#)
                == .refused("The file is malformed."))
        #expect(
            outcome(api, 401, #"{"errors":[{"resource":"Athlete","field":"access_token","code":"invalid"}]}"#)
                == .unauthorized("the access was revoked"))
        #expect(
            outcome(
                api, 401,
                #"{"errors":[{"resource":"AccessToken","field":"activity:write_permission","code":"missing"}]}"#
            )
                == .unauthorized("it permits no uploads"))
    }

    @Test func readsAnswersOfWebhooks() {
        let api = WebhookUpload(now: 0)
        #expect(outcome(api, 204) == .uploaded(id: nil))
        #expect(outcome(api, 410) == .unauthorized("the receiver answered that it is gone"))
        // A redirection is not followed, and another status may be temporary.
        for status in [302, 400, 404, 500] {
            #expect(outcome(api, status) == .later("the service answered with status \(status)"))
        }
    }

    @Test func repeatsAfterTemporaryAnswers() {
        let apis: [any DestinationAPI] = [
            Concept2Upload(address: ""), IntervalsICUUpload(address: ""), StravaUpload(address: ""),
            WebhookUpload(now: 0),
        ]
        for api in apis {
            #expect(outcome(api, 429, retryAfter: "90") == .later("too many requests", delay: 90))
            for status in [500, 502, 503, 504] {
                #expect(outcome(api, status) == .later("the service answered with status \(status)"))
            }
            // The form with a date is not read.
            #expect(
                outcome(api, 503, retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT")
                    == .later("the service answered with status 503"))
        }
    }

    @Test func spreadsAttemptsOverAWeek() {
        #expect(UploadRetry.delay(after: 1, asked: nil, random: 0) == 60)
        #expect(UploadRetry.delay(after: 1, asked: nil, random: 6) == 66)
        #expect(UploadRetry.delay(after: 1, asked: 900, random: 0) == 900)
        #expect(UploadRetry.delay(after: 3, asked: 2, random: 0) == 1800)
        #expect(UploadRetry.delay(after: 1, asked: .max, random: 0) == 86_400)
        #expect(UploadRetry.delay(after: UploadRetry.maximumAttempts, asked: nil, random: 0) == nil)
        let total = (1..<UploadRetry.maximumAttempts).compactMap {
            UploadRetry.delay(after: $0, asked: nil, random: 0)
        }.reduce(0, +)
        #expect((5...7).contains(total / 86_400), "days")
    }
}
